package nemesistest_test

import (
	"context"
	"testing"
	"time"

	"locktorture/locks"
	"locktorture/locks/redis"
	"locktorture/nemesis"
	"locktorture/nemesis/nemesistest"
)

// A clockedClient has the clock that its lock takes the time from, as a driver has.
type clockedClient struct {
	nemesis.Client
	clock locks.SkewedClock
}

// SkewClock implements nemesis.ClockedClient.
func (c *clockedClient) SkewClock(_ context.Context, offset time.Duration) (string, error) {
	c.clock.Set(offset)
	return "c1", nil
}

// A lock on a real server tells the validity of its lease by the clock that was moved, and
// rightly again after the heal.
func TestClientClock(t *testing.T) {
	c, w := serve(t, "redis", 1)
	client := &clockedClient{}
	w.Clients = []nemesis.Client{client}
	lock := redis.NewSet(redis.Config{Addr: c.Endpoints(1)[0], TTL: time.Minute, Timeout: nemesistest.Patience, Clock: &client.clock})
	t.Cleanup(func() { lock.Close() })
	left := func(name string) time.Duration {
		t.Helper()
		lease, err := lock.Acquire(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		return time.Until(lease.(locks.Bounded).Until())
	}
	for _, offset := range []time.Duration{time.Hour, -time.Hour} {
		mode := map[bool]string{true: nemesis.ClockAhead, false: nemesis.ClockBack}[offset > 0]
		heal := nemesistest.Inject(t, w, nemesis.ClientClock{}, nemesis.Step{Mode: mode, Clients: []int{1}, Offset: offset}, "clock of c1 tells")
		if by := left("moved "+mode) - offset; by > time.Minute || by < time.Minute-nemesistest.Patience {
			t.Errorf("%s: the lease of a minute ends %v after what the clock tells", mode, by)
		}
		heal()
		if rest := left("healed " + mode); rest > time.Minute || rest < time.Minute-nemesistest.Patience {
			t.Errorf("healed: the lease of a minute has %v left", rest)
		}
	}
}
