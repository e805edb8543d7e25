package checker_test

import (
	"testing"

	"locktorture/history"
)

// late is a look that was asked for long before it was recorded. left is what the server
// answered, from the question on.
func (b *build) late(asked, at int64, owner string, left int64) *build {
	b.probe(at, owner, at+left)
	b.h[len(b.h)-1].UntilMin = asked * ms
	return b
}

// overstayed: c2 overstays its lease, which ends by itself at 2005 ms. c1 is granted the lock
// at 2020 and releases it at 2495.
func overstayed(b *build) *build {
	b.grant(2, 2, 0, 10, 2005).release(2, 3990, 4000, history.Fail)
	return b.grant(1, 1, 1900, 2020, 4000).release(1, 2490, 2505, history.OK)
}

// TestLateLooks: a harness that is kept from running records what the servers had said long
// before. That accuses nobody.
func TestLateLooks(t *testing.T) {
	stolen := map[string]int{"foreign-release": 1}
	short := map[string]int{"false-validity": 1}
	run(t, []row{
		{"gone by itself before the look was recorded", bounded, nil, func(b *build) {
			overstayed(b).late(1990, 2500, "p2:2", 15).late(2506, 2507, "", 0)
		}, nil},
		{"kept after the other was granted the lock", bounded, nil, func(b *build) {
			overstayed(b).late(2450, 2500, "p2:2", 900).late(2506, 2507, "", 0)
		}, stolen},
		{"renewed after the question", boundedToo, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2005).renew(1, 667, 670).ask(1, 680, 681, 2667, 2668).late(660, 900, "p1:1", 1345).release(1, 1200, 1210, history.OK)
		}, nil},
		{"asked for after the answer", boundedToo, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2005).renew(1, 667, 670).ask(1, 680, 681, 2667, 2668).late(681, 900, "p1:1", 1345).release(1, 1200, 1210, history.OK)
		}, short},
	})
}

// TestLateLooksAtWhatIsOver: a hold that ends by itself seems to move on, if each look at it
// is recorded later than the one before.
func TestLateLooksAtWhatIsOver(t *testing.T) {
	o := bounded
	o.TTL, o.FreeWithin = 5000*1e6, 6000*1e6
	dead := func(b *build) *build { return b.grant(1, 1, 0, 10, 5000).crash(1, 1000) }
	nodes := func(b *build, asked func(at int64) int64) {
		b.grant(1, 1, 0, 10, 5000).release(1, 990, 1000, history.OK)
		for i, at := range []int64{1001, 1002, 1003, 1060} {
			b.late(asked(at), at, "p1:1", 4000)
			b.h[len(b.h)-1].Node = string(rune('a' + i%3))
		}
	}
	run(t, []row{
		{"a dead holder's, later and later", o, nil, func(b *build) {
			dead(b).late(1050, 1060, "p1:1", 3950).late(1100, 2300, "p1:1", 3900).late(2350, 4650, "p1:1", 2650)
		}, nil},
		{"a dead holder's, renewed twice", o, nil, func(b *build) {
			dead(b).late(1050, 1060, "p1:1", 3950).late(2290, 2300, "p1:1", 4000).late(4640, 4650, "p1:1", 4000)
		}, map[string]int{"immortal": 1}},
		{"all servers were asked before the release", o, nil, func(b *build) { nodes(b, func(int64) int64 { return 990 }) }, nil},
		{"all were asked at once after it, and one answered late", o, nil, func(b *build) { nodes(b, func(int64) int64 { return 1001 }) }, nil},
		{"the last was asked later", o, nil, func(b *build) { nodes(b, func(at int64) int64 { return max(1001, at-5) }) }, map[string]int{"orphan": 1}},
	})
}

// TestCoarseLooks: a server that tells whole seconds may end a lease up to one earlier than it
// says. c1 was granted the lock before, and the answer to its release comes late.
func TestCoarseLooks(t *testing.T) {
	slow := func(b *build, gone int64) {
		b.grant(1, 1, 0, 10, 1000).release(1, 500, gone, history.OK)
		b.grant(2, 2, 400, 520, 1400).release(2, 4000, 4010, history.Fail)
		b.probe(530, "p2:2", 2530).probe(gone-10, "p2:2", gone+990).probe(gone-5, "", 0)
	}
	run(t, []row{
		{"it may have ended by itself", bounded, nil, func(b *build) { slow(b, 2500) }, nil},
		{"it had more than a second", bounded, nil, func(b *build) {
			slow(b, 2500)
			b.h[len(b.h)-2].UntilMax += 1000 * ms
		}, map[string]int{"foreign-release": 1}},
	})
}
