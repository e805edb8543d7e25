package redsync_test

import (
	"errors"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"locktorture/locks"
	"locktorture/locks/redislib"
	"locktorture/locks/redsync"
)

// A lease that is gone from a majority of the servers is not held. If too few servers could be asked,
// nobody knows.
func TestServersThatAreDown(t *testing.T) {
	for name, tt := range map[string]struct {
		down, lost int // the first servers are down, the last have lost the key
		held, sure bool
	}{
		"all answer":                      {held: true, sure: true},
		"two are down":                    {down: 2, held: true, sure: true},
		"three are down":                  {down: 3},
		"all are down":                    {down: 5},
		"three have lost it":              {lost: 3, sure: true},
		"two down, three have lost it":    {down: 2, lost: 3, sure: true},
		"one is down, two have lost it":   {down: 1, lost: 2},
		"three are down, one has lost it": {down: 3, lost: 1},
	} {
		t.Run(name, func(t *testing.T) {
			for what, do := range map[string]func(locks.Lease) error{
				"release": func(l locks.Lease) error { return l.Release(t.Context()) },
				"renew":   func(l locks.Lease) error { return l.(locks.Renewer).Renew(t.Context()) },
			} {
				var servers []*miniredis.Miniredis
				cfg := redislib.Config{TTL: time.Minute}
				for range 5 {
					s := miniredis.RunT(t)
					servers, cfg.Addrs = append(servers, s), append(cfg.Addrs, s.Addr())
				}
				l := redsync.New(cfg)
				defer l.Close()
				lease, err := l.Acquire(t.Context(), "a")
				if err != nil {
					t.Fatal(err)
				}
				for i, s := range servers {
					if i < tt.down {
						s.Close()
					}
					if i >= len(servers)-tt.lost {
						s.FlushAll()
					}
				}
				err = do(lease)
				if (err == nil) != tt.held || errors.Is(err, locks.ErrNotHeld) != (!tt.held && tt.sure) {
					t.Errorf("%s: %v", what, err)
				}
			}
		})
	}
}
