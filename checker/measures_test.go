package checker_test

import (
	"math"
	"testing"

	"locktorture/checker"
	"locktorture/history"
)

// TestRatesAndShares: what is measured and not judged: rates, shares, notices, and who was
// overtaken.
func TestRatesAndShares(t *testing.T) {
	type m = checker.Measures
	for _, tt := range []struct {
		name string
		opt  checker.Options
		make func(b *build)
		ok   func(m m) bool
	}{
		{"three grants of one client, one of another, in two seconds", mutex, func(b *build) {
			for i := range int64(3) {
				b.grant(1, i+1, 100*i, 100*i+10, 0).release(i+1, 100*i+20, 100*i+30, history.OK)
			}
			b.grant(2, 4, 400, 410, 0).release(4, 420, 430, history.OK).until(2000)
		}, func(m m) bool { return near(m.Jain, 16.0/20) && near(m.GrantRate, 2) }},
		{"the clients were ready after a second and a half", mutex, func(b *build) { b.grant(1, 1, 1500, 1510, 0).release(1, 1520, 1530, history.OK).until(2000) },
			func(m m) bool { return near(m.GrantRate, 2) }},
		{"a client that only waits has no share", mutex, func(b *build) {
			b.grant(1, 1, 0, 10, 0).try(2, 20, 30, history.Fail, history.ByServer).until(500)
		}, func(m m) bool { return near(m.Jain, 0.5) && near(m.GrantRate, 2) }},
		{"no time has passed", mutex, func(b *build) { b.grant(1, 1, 0, 0, 0) }, func(m m) bool { return m.GrantRate == 0 }},
		{"a re-entry is no grant of its own, and what follows it is", again, func(b *build) {
			b.fenced(1, 1, 0, 10, 0, 7).reenter(1, 2, 20, 30, 0, 7).release(2, 40, 50, history.OK).release(1, 60, 70, history.OK)
			b.fenced(2, 3, 80, 90, 0, 8).release(3, 100, 110, history.OK)
		}, func(m m) bool { return near(m.Jain, 1) && m.Acquire.N == 2 && m.Hold.Max == 50*ms }},

		{"told of its loss 100 ms after another's grant", watched, func(b *build) { late(b).lost(1, 2600) },
			func(m m) bool { return m.NoticeLag.N == 1 && m.NoticeLag.Max == 100*ms }},
		{"told as another was granted it", watched, func(b *build) { late(b).lost(1, 2500) }, func(m m) bool { return m.NoticeLag.N == 0 }},

		{"granted past one who had called before", mutex, func(b *build) {
			b.try(1, 10, 200, history.Fail, history.ByServer).try(3, 30, 200, history.Fail, history.ByServer).grant(2, 1, 20, 100, 0)
		}, func(m m) bool { return m.OutOfOrder == 1 }},
		{"two had called before, which is one grant all the same", mutex, func(b *build) {
			b.try(1, 10, 200, history.Fail, history.ByServer).try(3, 15, 200, history.Fail, history.ByServer).grant(2, 1, 20, 100, 0)
		}, func(m m) bool { return m.OutOfOrder == 1 }},
		{"the other called at the same moment", mutex, func(b *build) {
			b.try(1, 20, 200, history.Fail, history.ByServer).grant(2, 1, 20, 100, 0)
		}, func(m m) bool { return m.OutOfOrder == 0 }},
		{"the other had given up", mutex, func(b *build) {
			b.try(1, 10, 90, history.Fail, history.ByServer).grant(2, 1, 20, 100, 0)
		}, func(m m) bool { return m.OutOfOrder == 0 }},
		{"the other gave up as it was granted", mutex, func(b *build) {
			b.try(1, 10, 100, history.Fail, history.ByServer).grant(2, 1, 20, 100, 0)
		}, func(m m) bool { return m.OutOfOrder == 0 }},
		{"a reader past a writer", rw, func(b *build) { b.grant(1, 2, 10, 200, 0).reader(2, 1, 20, 100, 0) },
			func(m m) bool { return m.OutOfOrder == 1 && m.Bypasses == 1 }},
		{"a reader past a writer that called at the same moment", rw, func(b *build) { b.grant(1, 2, 20, 200, 0).reader(2, 1, 20, 100, 0) },
			func(m m) bool { return m.Bypasses == 0 }},
		{"a reader past a reader, a writer past a writer", rw, func(b *build) {
			b.reader(1, 2, 10, 200, 0).reader(2, 1, 20, 100, 0).grant(3, 4, 210, 300, 0).grant(4, 3, 220, 250, 0)
		}, func(m m) bool { return m.OutOfOrder == 2 && m.Bypasses == 0 }},
		{"nobody is passed by a re-entry, and somebody by the grant after it", again, func(b *build) {
			b.fenced(1, 1, 0, 10, 0, 7).reenter(1, 2, 20, 30, 0, 7).release(2, 40, 50, history.OK).release(1, 60, 70, history.OK)
			b.try(3, 15, 200, history.Fail, history.ByServer).fenced(2, 3, 16, 90, 0, 8)
		}, func(m m) bool { return m.OutOfOrder == 1 }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBuild()
			tt.make(b)
			if m := checker.Check(b.history(t), tt.opt, nil).Measures; !tt.ok(m) {
				t.Errorf("%+v", m)
			}
		})
	}
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

// TestNumber: a key that was never written holds 0, and what no section can have counted up to
// is no number.
func TestNumber(t *testing.T) {
	const largest = 1 << 50
	for _, tt := range []struct {
		text string
		want int
		ok   bool
	}{
		{"", 0, true}, {"-7", -7, true}, {"x", 0, false}, {"1125899906842624", largest, true}, {"1125899906842625", 0, false},
		{"-1125899906842624", -largest, true}, {"-1125899906842625", 0, false}, {"9223372036854775808", math.MaxInt64, false},
	} {
		if got, err := checker.Number(tt.text); (err == nil) != tt.ok || tt.ok && got != tt.want {
			t.Errorf("%q: %d, %v", tt.text, got, err)
		}
	}
	for n, want := range map[int]bool{largest: true, largest + 1: false, -largest: true, -largest - 1: false, 0: true} {
		if checker.Sane(n) != want {
			t.Errorf("%d is sane: %v", n, !want)
		}
	}
}

// TestFewWitnesses: ten anomalies of a kind keep their witness, each of another incident; the
// others are counted.
func TestFewWitnesses(t *testing.T) {
	for _, n := range []int{10, 11, 15} {
		b := newBuild()
		for i := range int64(n) { // three at a time
			at := 5000 * i
			b.grant(1, 3*i+1, at, at+10, at+2000).grant(2, 3*i+2, at+20, at+30, at+2000).grant(3, 3*i+3, at+40, at+50, at+2000)
			for j := range int64(3) {
				b.release(3*i+j+1, at+60, at+70, history.OK)
			}
		}
		res, kept := checker.Check(b.history(t), bounded, nil), 0
		for _, p := range res.Properties {
			for _, a := range p.Anomalies {
				if a.Kind == "double-grant" {
					kept++
				}
			}
		}
		if kept != 10 || res.Counts.Anomalies["double-grant"] != 2*n {
			t.Errorf("%d of %d, want 10 of %d", kept, res.Counts.Anomalies["double-grant"], 2*n)
		}
	}
}
