package raw

import (
	"context"
	"crypto/rand"

	"github.com/bradfitz/gomemcache/memcache"

	"locktorture/locks"
)

func openMemcached(_ context.Context, cfg Config) (locks.Locker, error) {
	mc := memcache.New(cfg.Endpoints[0])
	seconds := int32(max(1, cfg.TTL.Seconds()))
	return pair{
		take: func(_ context.Context, name string) (func(context.Context) error, error) {
			key := keyOf(name)
			if err := mc.Add(&memcache.Item{Key: key, Value: []byte(rand.Text()), Expiration: seconds}); err != nil {
				return nil, err
			}
			return func(context.Context) error { return mc.Delete(key) }, nil
		},
		close: mc.Close,
	}, nil
}
