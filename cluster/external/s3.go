package external

import (
	"context"
	"net"
	"time"

	"locktorture/internal/s3api"
)

// An objects is a bucket of an object store, which is there already.
type objects struct{ cfg Config }

func newS3(cfg Config) service { return &objects{cfg} }

// open opens the bucket: user and password are access key and secret key.
func (o *objects) open(addr string) *s3api.Store {
	host, _, _ := net.SplitHostPort(addr)
	to := s3api.Config{Addr: addr, Bucket: o.cfg.Database, Key: o.cfg.User, Secret: o.cfg.Password, Dial: o.cfg.Dial}
	if t, err := o.cfg.TLS(addr); err == nil && t != nil {
		to.TLS, to.Host = true, host
	}
	return s3api.Open(to)
}

// version returns what the server calls itself: S3 has no request for more.
func (o *objects) version(ctx context.Context, addr string) (string, error) {
	s := o.open(addr)
	defer s.Close()
	name, err := s.Server(ctx)
	if err == nil && name == "" {
		name = unknown("the store does not tell")
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

// looker deletes an object, which leaves nothing. It asks no more often than once in a second:
// stores charge for requests.
func (o *objects) looker(s server) looker {
	var last time.Time
	asked := 0 // one after the other, to begin with
	return &kept[*s3api.Store]{
		open: func(context.Context) (*s3api.Store, error) { return o.open(s.addr), nil },
		ask: func(ctx context.Context, store *s3api.Store) error {
			if asked++; asked > looks+1 && time.Since(last) < time.Second {
				return nil
			}
			err := store.Delete(ctx, o.cfg.Prefix+lookKey, s3api.Condition{})
			if err == nil || s3api.Absent(err) {
				last = time.Now()
				return nil
			}
			return err
		},
		shut: func(store *s3api.Store) { store.Close() },
	}
}
