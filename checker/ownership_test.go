package checker_test

import (
	"testing"

	"locktorture/history"
)

func TestForeignReleaseSeen(t *testing.T) {
	one := map[string]int{"foreign-release": 1}
	// c1's lease runs out, c2 is granted, then c1 releases at 2500.
	start := func(b *build, released history.Type) *build {
		b.grant(1, 1, 0, 10, 2000).grant(2, 2, 1900, 2100, 4100)
		return b.probe(2200, "p2:2", 4100).release(1, 2500, 2510, released)
	}
	o := bounded
	o.Model = "" // what the lock's model says to it stands elsewhere
	run(t, []row{
		{"gone after the other's release", o, nil, func(b *build) { start(b, history.OK).probe(2550, "", 0) }, one},
		{"given to a third by it", o, nil, func(b *build) { start(b, history.OK).probe(2550, "p3:9", 4500) }, one},
		{"a second release of a lease that was released", o, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).release(1, 20, 30, history.OK).grant(2, 2, 40, 50, 2050)
			b.probe(60, "p2:2", 2050).release(1, 70, 80, history.OK).probe(90, "", 0)
		}, one},
		{"a second release that was refused", o, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).release(1, 20, 30, history.OK).grant(2, 2, 40, 50, 2050)
			b.probe(60, "p2:2", 2050).release(1, 70, 80, history.Fail).probe(90, "", 0)
		}, nil},
		{"a release that was under way since before the other's grant", o, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).release(1, 1500, 2510, history.OK).grant(2, 2, 2050, 2100, 4100)
			b.probe(2200, "p2:2", 4100).probe(2550, "", 0)
		}, one},
		{"the same of a lock on two nodes, whose owners need not agree", o, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).release(1, 1500, 2510, history.OK).grant(2, 2, 2050, 2100, 4100)
			b.probe(2200, "p2:2", 4100).probe(2550, "", 0)
			for i, n := 0, 1; i < len(b.h); i++ {
				if b.h[i].F == history.Probe {
					b.h[i].Node, n = []string{"", "n1", "n2"}[n], n+1
				}
			}
		}, nil},
		{"granted after the last look: the lease had ended, though the expiry seen was later", o, nil, func(b *build) {
			b.grant(2, 2, 0, 10, 2000).probe(1950, "p2:2", 2913).grant(1, 1, 500, 2007, 4007).release(1, 2012, 2014, history.OK).probe(2015, "", 0)
		}, nil},
		{"a look before its record: it may have been granted between", o, nil, func(b *build) {
			b.grant(2, 2, 0, 10, 2000).grant(1, 1, 500, 2010, 4010).probe(2050, "p2:2", 2913).release(1, 2100, 2110, history.OK).probe(2120, "", 0)
		}, nil},
		{"the same, and the look was after the grant for certain", o, nil, func(b *build) {
			b.grant(2, 2, 0, 10, 2000).grant(1, 1, 500, 2010, 4010).probe(2111, "p2:2", 2913).release(1, 2115, 2118, history.OK).probe(2120, "", 0)
		}, one},
		{"granted after the last look, but seen on the server before: its answer was late", o, nil, func(b *build) {
			b.grant(1, 1, 0, 2300, 0).add(2300, 2301, b.under(1, history.Ask), history.Fail, func(o *history.Op) { o.Refused = history.ByClient })
			b.probe(20, "p1:1", 2000).probe(2050, "p2:2", 4100).grant(2, 2, 1900, 2100, 4100)
			b.probe(2250, "p2:2", 4100).release(1, 2310, 2320, history.OK).probe(2330, "", 0)
		}, one},
		{"still there after it", o, nil, func(b *build) { start(b, history.OK).probe(2550, "p2:2", 4100) }, nil},
		{"the release was refused", o, nil, func(b *build) { start(b, history.Fail).probe(2550, "", 0) }, nil},
		{"its holder had released it too", o, nil, func(b *build) {
			start(b, history.OK).release(2, 2520, 2530, history.OK).probe(2550, "", 0)
		}, nil},
		{"a session that may have expired, for all that was seen", o, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).grant(2, 2, 1900, 2100, 4100).probe(2200, "p2:2", history.Never)
			b.release(1, 2500, 2510, history.OK).probe(2550, "", 0)
		}, nil},
		{"a name that stands for a session: by then it was the next call's", o, nil, func(b *build) {
			b.grant(2, 2, 0, 10, 2000).release(2, 20, 30, history.OK).grant(2, 3, 2090, 2300, 4300)
			for i := range b.h {
				if b.h[i].Value == "p2:3" {
					b.h[i].Value = "p2:2"
				}
			}
			b.grant(1, 1, 2010, 2050, 4050).probe(2092, "p2:2", 9000).release(1, 2092, 2093, history.OK).probe(2094, "", 0).probe(2301, "p2:2", 9000)
		}, nil},
		{"a name that stands for two leases", o, nil, func(b *build) { sameName(b).probe(2120, "", 0) }, one},
		{"and the other of them was released", o, nil, func(b *build) { sameName(b).release(2, 2100, 2110, history.OK).probe(2120, "", 0) }, nil},
		{"expired by then", o, nil, func(b *build) { start(b, history.OK).probe(4100, "", 0) }, nil},
		{"gone before the other's release", o, nil, func(b *build) { start(b, history.OK).probe(2499, "", 0) }, nil},
		{"its holder was killed", o, nil, func(b *build) { start(b, history.OK).crash(2, 2520).probe(2550, "", 0) }, nil},
		{"its holder was killed, and the kill was seen late", o, nil, func(b *build) {
			start(b, history.OK).probe(2550, "", 0).crash(2, 2700)
			b.h[len(b.h)-1].UntilMin = 2520 * ms // when the kill began
		}, nil},
		{"a restart can lose it as well", o, nil, func(b *build) {
			start(b, history.OK).fault("restart", 1, 0, "n1", 2300, 2540).probe(2550, "", 0)
		}, nil},
	})
}

// sameName: c2 holds leases 2 and 3 in one name when c1, whose lease 1 ran out before,
// releases that.
func sameName(b *build) *build {
	b.grant(1, 1, 0, 5, 600).grant(2, 2, 601, 610, 4000).grant(2, 3, 620, 630, 4030).probe(2092, "p2:2", 9000).release(1, 2100, 2110, history.OK)
	for i := range b.h {
		if b.h[i].Value == "p2:3" {
			b.h[i].Value = "p2:2"
		}
	}
	return b
}

func TestForeignReleaseInferred(t *testing.T) {
	one := map[string]int{"foreign-release": 1}
	o := bounded
	o.Model = ""
	start := func(b *build, call int64, released history.Type) *build {
		return b.grant(1, 1, 0, 10, 2000).grant(2, 2, 1900, 2100, 4100).release(1, call, call+10, released)
	}
	run(t, []row{
		{"succeeded while another held", o, nil, func(b *build) { start(b, 2500, history.OK) }, one},
		{"refused", o, nil, func(b *build) { start(b, 2500, history.Fail) }, nil},
		{"unknown", o, nil, func(b *build) { start(b, 2500, history.Info) }, nil},
		{"called before the other's grant returned", o, nil, func(b *build) { start(b, 2100, history.OK) }, nil},
		{"the other's promise ended while it ran", o, nil, func(b *build) { start(b, 4095, history.OK) }, nil},
		{"the other had released", o, nil, func(b *build) { start(b, 2500, history.OK).release(2, 2200, 2300, history.OK) }, nil},
		{"a re-entry of the other was granted since, and is over", o, nil, func(b *build) {
			start(b, 2500, history.OK).grant(2, 3, 2200, 2210, 4100).release(3, 2220, 2230, history.OK)
		}, one},
		{"granted within the promise: that is a double grant, not a theft", o, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).grant(2, 2, 1900, 1950, 3900).release(1, 2500, 2510, history.OK)
		}, map[string]int{"double-grant": 1}},
		{"a jumped clock can do it without a theft", o, nil, func(b *build) {
			start(b, 2500, history.OK).fault("clock", 1, 0, "n1", 1000, 2600)
		}, nil},
	})
}
