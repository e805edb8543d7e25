package server

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"path"
	"strconv"

	"locktorture/cluster"
	"locktorture/internal/s3api"
)

// VersityGW is versitygw, an S3 gateway to a directory. An object is a file, and its ETag an
// extended attribute of the file.
type VersityGW struct{}

// GoFakeS3 is gofakes3, an S3 server for tests, which stores its data in a bbolt file. It verifies
// no signatures.
type GoFakeS3 struct{}

var (
	_ Clockless = VersityGW{}
	_ Clockless = GoFakeS3{}
)

// Objects returns the directory of the objects below the data directory. The caller must create it.
func (VersityGW) Objects(data string) string { return path.Join(data, "objects") }

// Args returns its arguments. The arguments of the gateway precede the word posix.
func (v VersityGW) Args(s cluster.Spec, data string) []string {
	args := append([]string{
		"--port", Addr(s), "--access", s3api.OurKey, "--secret", s3api.OurSecret, "--region", s3api.OurRegion, "--quiet",
	}, s.Args...)
	return append(args, "posix", v.Objects(data))
}

// Ready sends a request without a login, which must be refused.
func (VersityGW) Ready(ctx context.Context, s cluster.Spec) (string, error) {
	return "versitygw", answers(ctx, Addr(s), http.StatusForbidden)
}

// Args returns its arguments.
func (GoFakeS3) Args(s cluster.Spec, data string) []string {
	return append([]string{
		"-host", net.JoinHostPort("127.0.0.1", strconv.Itoa(s.Ports[0])), "-backend", "bolt", "-bolt.db", path.Join(data, "objects.db"), "-quiet",
	}, s.Args...)
}

// Ready asks for the list of buckets.
func (GoFakeS3) Ready(ctx context.Context, s cluster.Spec) (string, error) {
	return "gofakes3", answers(ctx, Addr(s), http.StatusOK)
}

// answers returns nil if a server answers a request for its root page with a status.
func answers(ctx context.Context, addr string, status int) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/", nil)
	if err != nil {
		return err
	}
	req.Close = true
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != status {
		return fmt.Errorf("the server answered %s", resp.Status)
	}
	return nil
}

const inGo = "it is a Go program, which asks the kernel for the time"

// WhyNoClock implements Clockless: versitygw reads the time from the kernel.
func (VersityGW) WhyNoClock() string { return inGo }

// WhyNoClock implements Clockless: gofakes3 reads the time from the kernel.
func (GoFakeS3) WhyNoClock() string { return inGo }
