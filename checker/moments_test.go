package checker_test

import (
	"testing"

	"locktorture/history"
)

// TestForeignMoments: what excuses a release that ended another's lease, on either side of
// each moment.
func TestForeignMoments(t *testing.T) {
	one := map[string]int{"foreign-release": 1}
	o := bounded
	o.Model = ""
	// c1's lease runs out, c2 is granted, seen at 2200, c1 releases at 2500, and c2 is gone at
	// 2550.
	stolen := func(b *build) *build {
		b.grant(1, 1, 0, 10, 2000).grant(2, 2, 1900, 2100, 4100)
		return b.probe(2200, "p2:2", 4100).release(1, 2500, 2510, history.OK).probe(2550, "", 0)
	}
	// c2 holds two leases in one name, the second since so long, and was last seen at 2092.
	named := func(b *build, since int64) {
		b.grant(1, 1, 0, 5, 600).grant(2, 2, 601, 610, 4000).grant(2, 3, 620, since, 4030).probe(2092, "p2:2", 9000).release(1, 2100, 2110, history.OK)
		for i := range b.h {
			if b.h[i].Value == "p2:3" {
				b.h[i].Value = "p2:2"
			}
		}
		b.probe(2120, "", 0)
	}
	run(t, []row{
		{"killed 1 ms after it was gone", o, nil, func(b *build) { stolen(b).killedAt(2, 2551, 2700) }, one},
		{"killed at that moment", o, nil, func(b *build) { stolen(b).killedAt(2, 2550, 2700) }, nil},
		{"its own release was called 1 ms after it was gone", o, nil, func(b *build) { stolen(b).release(2, 2551, 2560, history.OK) }, one},
		{"its own release was called at that moment", o, nil, func(b *build) { stolen(b).release(2, 2550, 2560, history.OK) }, nil},
		{"seen as the other's release was answered", o, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).grant(2, 2, 1900, 2100, 4100).release(1, 2190, 2200, history.OK).probe(2200, "p2:2", 4100).probe(2550, "", 0)
		}, nil},
		{"seen 1 ms before", o, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).grant(2, 2, 1900, 2100, 4100).release(1, 2190, 2200, history.OK).probe(2199, "p2:2", 4100).probe(2550, "", 0)
		}, one},
		{"seen as long after the other's grant as a look takes", o, nil, func(b *build) {
			b.grant(2, 2, 0, 10, 2000).grant(1, 1, 500, 2010, 4010).probe(2110, "p2:2", 2913).release(1, 2115, 2118, history.OK).probe(2120, "", 0)
		}, one},
		{"seen 1 ms less after it", o, nil, func(b *build) {
			b.grant(2, 2, 0, 10, 2000).grant(1, 1, 500, 2010, 4010).probe(2109, "p2:2", 2913).release(1, 2115, 2118, history.OK).probe(2120, "", 0)
		}, nil},
		{"two leases in one name, the latter granted as long before as a look takes", o, nil, func(b *build) { named(b, 1992) }, one},
		{"the latter granted 1 ms later", o, nil, func(b *build) { named(b, 1993) }, nil},
		{"a fault that began as it was gone", o, nil, func(b *build) { stolen(b).fault("partition", 1, 0, "n1", 2550, 2600) }, nil},
		{"a fault that began 1 ms later", o, nil, func(b *build) { stolen(b).fault("partition", 1, 0, "n1", 2551, 2600) }, one},
		{"a fault that was healed as it was first seen", o, nil, func(b *build) { stolen(b).fault("partition", 1, 0, "n1", 2150, 2200) }, nil},
		{"a fault that was healed 1 ms before", o, nil, func(b *build) { stolen(b).fault("partition", 1, 0, "n1", 2150, 2199) }, one},
		{"a fault that takes no locks away", o, nil, func(b *build) { stolen(b).fault("latency", 1, 0, "n1", 2150, 2600) }, one},
		{"a stopped client", o, nil, func(b *build) { stolen(b).fault("pause", 1, 2, "c2", 2150, 2600) }, one},
		{"a stopped server", o, nil, func(b *build) { stolen(b).fault("pause", 1, 0, "n1", 2150, 2600) }, nil},
		{"inferred: granted as the other's promise ended", o, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).grant(2, 2, 1900, 2000, 4100).release(1, 2500, 2510, history.OK)
		}, one},
		{"inferred: promised until the release was answered", o, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).grant(2, 2, 1900, 2100, 2510).release(1, 2500, 2510, history.OK)
		}, nil},
		{"inferred: promised for 1 ms more", o, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).grant(2, 2, 1900, 2100, 2511).release(1, 2500, 2510, history.OK)
		}, one},
	})
}

// TestOrphanMoments: c1 released its lease at 1 s, and is still there at 1.1 s and at 2 s.
func TestOrphanMoments(t *testing.T) {
	one := map[string]int{"orphan": 1}
	kept := func(b *build) *build {
		return b.grant(1, 1, 0, 10, 2000).release(1, 900, 1000, history.OK).probe(1100, "p1:1", 3000).probe(2000, "p1:1", 3000)
	}
	run(t, []row{
		{"kept", bounded, nil, func(b *build) { kept(b) }, one},
		{"a fail-over that was seen five seconds after the last look", bounded, nil, func(b *build) { kept(b).fault("failover", 1, 0, "n1", 7000, 7100) }, nil},
		{"and another millisecond", bounded, nil, func(b *build) { kept(b).fault("failover", 1, 0, "n1", 7001, 7100) }, one},
		{"one that was over at the first look", bounded, nil, func(b *build) { kept(b).fault("failover", 1, 0, "n1", 500, 1100) }, nil},
		{"one that was over 1 ms before", bounded, nil, func(b *build) { kept(b).fault("failover", 1, 0, "n1", 500, 1099) }, one},
		{"a fault that leaves no copies", bounded, nil, func(b *build) { kept(b).fault("partition", 1, 0, "n1", 500, 3000) }, one},
		{"seen for as long as a server may keep it", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).release(1, 900, 1000, history.OK).probe(1100, "p1:1", 3000).probe(1150, "p1:1", 3000)
		}, nil},
		{"and 1 ms more", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).release(1, 900, 1000, history.OK).probe(1100, "p1:1", 3000).probe(1151, "p1:1", 3000)
		}, one},
		{"first seen as the release was answered", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).release(1, 900, 1000, history.OK).probe(1000, "p1:1", 3000).probe(1050, "p1:1", 3000)
		}, nil},
	})
}

// TestVoidMoments: c1 called at 5 s for a lease of 2 s that is over as it is first asked for,
// at 5.012 s.
func TestVoidMoments(t *testing.T) {
	one := map[string]int{"void-grant": 1}
	void := func(b *build) *build { return b.grant(1, 1, 5000, 5010, 0).over(1, 5011, 5012) }
	run(t, []row{
		{"over at once", bounded, nil, func(b *build) { void(b) }, one},
		{"a fault that began with that word", bounded, nil, func(b *build) { void(b).fault("latency", 1, 0, "n1", 5012, 5100) }, nil},
		{"a fault that began 1 ms later", bounded, nil, func(b *build) { void(b).fault("latency", 1, 0, "n1", 5013, 5100) }, one},
		{"a fault that was healed two TTLs before the call", bounded, nil, func(b *build) { void(b).fault("latency", 1, 0, "n1", 500, 1000) }, nil},
		{"a fault that was healed 1 ms before", bounded, nil, func(b *build) { void(b).fault("latency", 1, 0, "n1", 500, 999) }, one},
		{"a fault of another client", bounded, nil, func(b *build) { void(b).fault("partition", 1, 2, "c2", 4900, 5100) }, one},
		{"its own", bounded, nil, func(b *build) { void(b).fault("partition", 1, 1, "c1", 4900, 5100) }, nil},
		{"one that found nobody to strike, and had begun by then", bounded, nil, func(b *build) { void(b).early("failover", 1, "n1", 5012, 5100) }, nil},
		{"and had begun 1 ms later", bounded, nil, func(b *build) { void(b).early("failover", 1, "n1", 5013, 5100) }, one},
		{"or was known to have failed two TTLs before the call", bounded, nil, func(b *build) { void(b).early("failover", 1, "n1", 500, 1000) }, nil},
		{"or 1 ms before that", bounded, nil, func(b *build) { void(b).early("failover", 1, "n1", 500, 999) }, one},
	})
}

// TestFalseMoments: c1 was told at 10 ms that its lease lasts until 2 s; the server shows at
// 111 ms and at 112 ms that it ends at 0.8 s.
func TestFalseMoments(t *testing.T) {
	one := map[string]int{"false-validity": 1}
	false2 := func(b *build) *build {
		return b.grant(1, 1, 0, 10, 2000).probe(111, "p1:1", 800).probe(112, "p1:1", 801)
	}
	run(t, []row{
		{"false", bounded, nil, func(b *build) { false2(b) }, one},
		{"a fault that began with the first look", bounded, nil, func(b *build) { false2(b).fault("latency", 1, 0, "n1", 111, 300) }, nil},
		{"a fault that was healed as the validity was told", bounded, nil, func(b *build) { false2(b).fault("latency", 1, 0, "n1", 5, 10) }, nil},
		{"a fault that was healed 1 ms before", bounded, nil, func(b *build) { false2(b).fault("latency", 1, 0, "n1", 5, 9) }, one},
		{"a fault that began 1 ms after the second look", bounded, nil, func(b *build) { false2(b).fault("latency", 1, 0, "n1", 113, 300) }, one},
		{"a stopped client", bounded, nil, func(b *build) { false2(b).fault("pause", 1, 2, "c2", 5, 300) }, one},
		{"a client cut off", bounded, nil, func(b *build) { false2(b).fault("partition", 1, 2, "c2", 5, 300) }, nil},
		{"a stopped server", bounded, nil, func(b *build) { false2(b).fault("pause", 1, 0, "n1", 5, 300) }, nil},
		{"a fault that found nobody to strike, until it was told", bounded, nil, func(b *build) { false2(b).early("failover", 1, "n1", 5, 10) }, nil},
		{"until 1 ms before", bounded, nil, func(b *build) { false2(b).early("failover", 1, "n1", 5, 9) }, one},
	})
}
