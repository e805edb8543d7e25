package checker_test

import (
	"testing"

	"locktorture/checker"
	"locktorture/history"
)

// unanswered is a write that is sent and never answered.
func (b *build) unanswered(lease, call int64) *build {
	op := b.under(lease, history.Write)
	op.Store, op.Key, op.Value = plain, "L/x", "1"
	return b.add(call, -1, op, history.Info, nil)
}

// TestNeverAnswered: what a holder sent last counts, though its lease was over by then, or was
// never mentioned again.
func TestNeverAnswered(t *testing.T) {
	run(t, []row{
		{"sent when another had been granted, then killed", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).grant(2, 2, 2100, 2110, 4100).unanswered(1, 2300).crash(1, 2400)
		}, map[string]int{"overrun": 1}},
		{"sent after its release, when another had been granted", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).release(1, 20, 30, history.OK).grant(2, 2, 40, 50, 2040).unanswered(1, 51)
		}, map[string]int{"overrun": 1}},
		{"sent before", bounded, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).release(1, 20, 30, history.OK).unanswered(1, 50).grant(2, 2, 40, 50, 2040)
		}, nil},
	})
}

// TestTokensOfOneProcess: what a process holds does not excuse what its next grant is worth.
func TestTokensOfOneProcess(t *testing.T) {
	regression, duplicate := map[string]int{"token-regression": 1}, map[string]int{"token-duplicate": 1}
	run(t, []row{
		{"a smaller one, as its lease had run out and was never released", tokened, nil, func(b *build) {
			b.fenced(1, 1, 0, 10, 2000, 34).fenced(1, 2, 2100, 2110, 4100, 33)
		}, regression},
		{"smaller than another's, too, which its own does not hide", tokened, nil, func(b *build) {
			b.fenced(2, 1, 0, 10, 2000, 34).release(1, 20, 30, history.OK).fenced(1, 2, 40, 50, 2040, 35).fenced(1, 3, 60, 70, 2060, 33)
		}, regression},
		{"a re-entry with a smaller one is no new grant", againLease, nil, func(b *build) {
			b.fenced(1, 1, 0, 10, 2000, 7).reenter(1, 2, 100, 110, 2000, 6)
		}, map[string]int{"token-changed": 1}},
		{"two re-entries, one after the other", againLease, nil, func(b *build) {
			b.fenced(1, 1, 0, 10, 2000, 7).reenter(1, 2, 100, 110, 2000, 7).release(2, 120, 130, history.OK).reenter(1, 3, 140, 150, 2000, 7)
		}, nil},
		{"the second when the outer lease was released", againLease, nil, func(b *build) {
			b.fenced(1, 1, 0, 10, 2000, 7).reenter(1, 2, 100, 110, 2000, 7).release(2, 120, 130, history.OK).release(1, 131, 132, history.OK).fenced(1, 3, 140, 150, 2140, 7)
		}, duplicate},
	})
}

// TestStaleByToken: c1's answer comes after that of c2, whose grant its call may have met.
func TestStaleByToken(t *testing.T) {
	late := func(token uint64, call int64) func(b *build) {
		return func(b *build) {
			b.fenced(2, 2, 0, 50, 2000, 34).store(2, fencedS, history.Write, "x", "2", 51, 55).release(2, 60, 70, history.OK)
			b.fenced(1, 1, call, 100, 2000, token).store(1, fencedS, history.Write, "x", "1", 110, 111)
		}
	}
	bare := func() checker.Options { o := tokened; o.Expires = false; return o }()
	run(t, []row{
		{"an older token after a newer one", bare, nil, late(33, 50), map[string]int{"stale-accepted": 1}},
		{"a newer one", bare, nil, late(35, 50), nil},
		{"none, which says nothing", bare, nil, late(0, 50), nil},
		{"the times tell that it is the newer grant", bare, nil, late(33, 51), map[string]int{"token-regression": 1}},
	})
}

// TestNameOfReentry: c1 was refused, and had the lock afterwards. Then servers keep it in a
// name of c1 that no grant has.
func TestNameOfReentry(t *testing.T) {
	seen := func(b *build) *build {
		b.try(1, 0, 10, history.Fail, history.ByServer).fenced(1, 1, 20, 30, 2000, 7)
		return b.probe(2050, "p1:9", 4000).probe(2150, "p1:9", 4000).probe(2250, "p1:9", 4000)
	}
	run(t, []row{
		{"the refused call's", againLease, nil, func(b *build) { seen(b) }, map[string]int{"orphan": 1}},
		{"it may be that of a re-entry under way, whose lease had run out", againLease, nil, func(b *build) { seen(b).reenter(1, 2, 1990, 2600, 4000, 8) }, nil},
	})
}

// TestFalseOnce: looks at one lease that alternate with looks at another are looks at one
// lease.
func TestFalseOnce(t *testing.T) {
	run(t, []row{{"seen in turns", bounded, nil, func(b *build) {
		b.grant(1, 1, 20, 30, 2030).grant(2, 2, 25, 40, 2040)
		b.probe(203, "p1:1", 1910).probe(207, "p2:2", 2055).probe(211, "p1:1", 1910)
	}, map[string]int{"false-validity": 1, "double-grant": 1}}})
}
