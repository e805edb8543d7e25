package redis_test

import (
	"testing"
	"time"

	"locktorture/locks"
	"locktorture/locks/redis"
)

// A permit ends on the server in whole milliseconds. Its client believes in it no longer: what
// it would believe in beyond that is another's.
func TestPermitsEndInWholeMilliseconds(t *testing.T) {
	c := start(t)
	s := redis.NewPermits(redis.Config{Addr: c.Endpoints(1)[0], Owner: "p1", TTL: time.Minute})
	defer s.Close()
	for range 3 {
		l, err := s.AcquirePermits(within(t, 5*time.Second), "x", 1, 3)
		if err != nil {
			t.Fatal(err)
		}
		if until := l.(locks.Bounded).Until(); until.Nanosecond()%int(time.Millisecond) != 0 {
			t.Errorf("believed in until %v", until)
		}
	}
}
