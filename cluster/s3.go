package cluster

import (
	"context"

	"locktorture/internal/s3api"
)

// startVersityGW starts one versitygw on a directory.
func startVersityGW(ctx context.Context, b *builder) error { return b.objects(ctx, "versitygw") }

// startGoFakeS3 starts one gofakes3 on a file.
func startGoFakeS3(ctx context.Context, b *builder) error { return b.objects(ctx, "gofakes3") }

// objects starts an object store, and makes its bucket after every start if it is missing.
func (b *builder) objects(ctx context.Context, server string) error {
	ports, err := b.reserve(1)
	if err != nil {
		return err
	}
	bucket := func(ctx context.Context) error {
		s := s3api.Open(s3api.Config{Addr: local(ports[0])})
		defer s.Close()
		return s.MakeBucket(ctx)
	}
	if err := b.start(ctx, Spec{Server: server, Name: "s3-1", Ports: ports, Ready: bucket}); err != nil {
		return err
	}
	if err := bucket(ctx); err != nil {
		return err
	}
	return b.linkClients()
}
