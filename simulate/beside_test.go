package simulate_test

import (
	"slices"
	"testing"
	"time"

	"locktorture/history"
)

// A client that stands still does so until its pause is over, whatever else has struck it and
// is over before. The hold is of a renewal, 250 ms after the grant.
func TestStoppedBeside(t *testing.T) {
	p, on := guest(t), servers(t, "rueidislock")
	o := faulted("rueidislock")
	o.TTL, o.Hold = 500*time.Millisecond, "300ms"
	h, r := play(t, p, on, o, "at c1 gate read #1: hold nodes=1 for=400ms", "at c1 gate write #1: pause for=300ms")
	hold, pause := r.Struck[0], r.Struck[1]
	if hold.Why != "" || pause.Why != "" || hold.Healed <= pause.At || hold.Healed >= pause.Healed {
		t.Fatalf("%+v is not over amid %+v", hold, pause)
	}
	for _, op := range h {
		if op.Client == 1 && op.Process >= 0 && op.Time > pause.At && op.Time < pause.Healed {
			t.Errorf("c1 stood still, and did %s at %v", op.F, time.Duration(op.Time))
		}
	}
}

// The end of a server is the last that its connections say, and is held back with the rest.
func TestEndBehindHold(t *testing.T) {
	p, on := guest(t), servers(t, "redis-set")
	const held = 300 * time.Millisecond
	h, r := play(t, p, on, faulted("redis-set"),
		"at c1 reply SET=OK redis-1 #2: hold for="+held.String(), "at c1 reply SET=OK redis-1 #2: restart for=10ms")
	i := slices.IndexFunc(h, func(op history.Op) bool {
		return op.Client == 1 && op.F == history.Acquire && op.Type != history.Invoke && op.Time > r.Struck[0].At
	})
	if i < 0 || h[i].Type != history.OK || h[i].Time < r.Struck[0].At+int64(held) {
		t.Errorf("the answer that was held back from %v: entry %d, %+v", time.Duration(r.Struck[0].At), i, h[max(i, 0)])
	}
}
