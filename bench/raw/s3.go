package raw

import (
	"context"
	"crypto/rand"

	"locktorture/internal/s3api"
	"locktorture/locks"
)

// openS3 makes an object that must not be there, and deletes it.
func openS3(_ context.Context, cfg Config) (locks.Locker, error) {
	s := s3api.Open(s3api.Config{Addr: cfg.Endpoints[0]})
	return pair{
		take: func(ctx context.Context, name string) (func(context.Context) error, error) {
			key := keyOf(name)
			if _, err := s.Put(ctx, key, []byte(rand.Text()), s3api.IfAbsent()); err != nil {
				return nil, err
			}
			return func(ctx context.Context) error { return s.Delete(ctx, key, s3api.Condition{}) }, nil
		},
		close: s.Close,
	}, nil
}
