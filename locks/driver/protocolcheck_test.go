package driver_test

import (
	"errors"
	"testing"
	"time"

	"locktorture/locks/driver"
)

// TestCheckThatOutlastsItsLease: a check is done again if its lease may have run out before it
// failed, and only then.
func TestCheckThatOutlastsItsLease(t *testing.T) {
	const ttl = 50 * time.Millisecond
	wrong := errors.New("granted although it was held")
	for name, tt := range map[string]struct {
		ttl         time.Duration
		fails, want int // of the tries
		err         error
	}{
		"a busy machine":    {ttl, 1, 2, nil},
		"a wrong driver":    {ttl, 9, 3, wrong},
		"within its lease":  {time.Minute, 1, 1, wrong},
		"nothing is wrong":  {ttl, 0, 1, nil},
		"two of three late": {ttl, 2, 3, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := localServer(t)
			a, b := startLocal(t, s, 1), startLocal(t, s, 2)
			tries := 0
			err := driver.WhileHeld(t.Context(), a, b, "held", tt.ttl, func() error {
				tries++
				if tries > tt.fails {
					return nil
				}
				time.Sleep(ttl)
				return wrong
			})
			if !errors.Is(err, tt.err) || tries != tt.want {
				t.Errorf("%d tries, want %d; error %v, want %v", tries, tt.want, err, tt.err)
			}
		})
	}
}
