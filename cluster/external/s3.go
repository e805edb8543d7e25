package external

import (
	"context"
	"net"
	"time"

	"locktorture/internal/s3api"
)

// An objects is the client side of an existing bucket in an object store.
type objects struct{ cfg Config }

func newS3(cfg Config) service { return &objects{cfg} }

// open opens the bucket. The user is used as the access key, the password as the secret key.
func (o *objects) open(addr string) *s3api.Store {
	host, _, _ := net.SplitHostPort(addr)
	to := s3api.Config{Addr: addr, Bucket: o.cfg.Database, Key: o.cfg.User, Secret: o.cfg.Password, Dial: o.cfg.Dial}
	if t, err := o.cfg.TLS(addr); err == nil && t != nil {
		to.TLS, to.Host = true, host
	}
	return s3api.Open(to)
}

// version returns the name that the server reports: S3 has no request for a version.
func (o *objects) version(ctx context.Context, addr string) (string, error) {
	s := o.open(addr)
	defer s.Close()
	name, err := s.Server(ctx)
	if err == nil && name == "" {
		name = unknown("the store reports none")
	}
	return name, err
}

func (o *objects) prepare(context.Context) error { return nil }

func (o *objects) some(ctx context.Context) (string, error) {
	s := o.open(o.cfg.Endpoints[0])
	defer s.Close()
	keys, err := s.List(ctx, o.cfg.Prefix)
	return first(keys), err
}

// sweep deletes the objects below the prefix.
func (o *objects) sweep(ctx context.Context) (int, error) {
	s := o.open(o.cfg.Endpoints[0])
	defer s.Close()
	keys, err := s.List(ctx, o.cfg.Prefix)
	if err != nil {
		return 0, err
	}
	for n, key := range keys {
		if err := s.Delete(ctx, key, s3api.Condition{}); err != nil {
			return n, err
		}
	}
	return len(keys), nil
}

// looker deletes a missing object, which changes no data. It asks once per second, because stores
// charge for requests.
func (o *objects) looker(s server) looker {
	return &kept[*s3api.Store]{
		every: time.Second,
		open:  func(context.Context) (*s3api.Store, error) { return o.open(s.addr), nil },
		ask: func(ctx context.Context, store *s3api.Store) error {
			err := store.Delete(ctx, o.cfg.Prefix+lookKey, s3api.Condition{})
			if s3api.Absent(err) {
				return nil
			}
			return err
		},
		shut: func(store *s3api.Store) { store.Close() },
	}
}
