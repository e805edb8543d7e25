package checker_test

import (
	"testing"

	"locktorture/checker"
	"locktorture/history"
)

// on is an operation on a key of a store under lease 1. With apply 0 the store does not tell
// its order.
func (b *build) on(store string, f history.F, key, value string, call, ret, apply int64) *build {
	op := b.under(1, f)
	op.Store, op.Key = store, "L/"+key
	if f == history.Write {
		op.Value = value
	}
	return b.add(call, ret, op, history.OK, func(o *history.Op) { o.Value, o.Apply = value, apply })
}

// TestKeys: each key of a store is a register of its own, and one that is right, or wrong,
// hides no other.
func TestKeys(t *testing.T) {
	const read, write = history.Read, history.Write
	one, two := map[string]int{"nonlinearizable": 1}, map[string]int{"nonlinearizable": 2}
	run(t, []row{
		{"a right one whose order is known, a wrong one whose order is not", mutex, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 0).on(plain, write, "a", "1", 20, 21, 1).on(plain, read, "a", "1", 22, 23, 2).on(plain, read, "b", "x", 30, 31, 0)
		}, one},
		{"two wrong ones whose order is not known", mutex, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 0).on(plain, read, "a", "x", 20, 21, 0).on(plain, read, "b", "x", 30, 31, 0)
		}, two},
		{"one that is wrong again and again is one", mutex, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 0).on(plain, read, "a", "x", 20, 21, 1).on(plain, read, "a", "y", 30, 31, 2)
		}, one},
		{"an order against the times, in which each key is right", mutex, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 0).on(plain, write, "a", "1", 20, 21, 2).on(plain, write, "b", "1", 30, 31, 1).on(plain, read, "c", "", 40, 41, 3)
		}, nil},
		{"and the last of them wrong", mutex, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 0).on(plain, write, "a", "1", 20, 21, 2).on(plain, write, "b", "1", 30, 31, 1).on(plain, read, "c", "x", 40, 41, 3)
		}, one},
		{"an order against the times of one key", mutex, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 0).on(plain, write, "a", "1", 20, 21, 2).on(plain, write, "a", "2", 22, 23, 1).on(plain, read, "b", "x", 30, 31, 3)
		}, two},
		{"called as the one applied after it returned", mutex, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 0).on(plain, write, "a", "1", 20, 30, 3).on(plain, write, "b", "1", 40, 41, 1).on(plain, write, "a", "2", 30, 32, 2)
		}, nil},
	})
}

// guarded is a write of L/v on the condition of what a key holds.
func (b *build) guarded(store, key, from, to string, call, ret, apply int64, t history.Type) *build {
	op := b.under(1, history.CAS)
	op.Store, op.Key, op.Guard, op.Expect, op.Value = store, "L/v", "L/"+key, from, to
	return b.add(call, ret, op, t, func(o *history.Op) {
		if t == history.Fail {
			o.Refused = history.ByStore
		} else {
			o.Apply = apply
		}
	})
}

// TestGuards: a write on the condition of its own key says what that held; one on that of
// another key, or that a fenced store refused, which may have been for its token, does not.
func TestGuards(t *testing.T) {
	one := map[string]int{"nonlinearizable": 1}
	first := func(b *build, store string) *build {
		return b.grant(1, 1, 0, 10, 0).on(store, history.Write, "v", "a", 20, 21, 1)
	}
	run(t, []row{
		{"its own key holds something else", mutex, nil, func(b *build) { first(b, plain).guarded(plain, "v", "7", "b", 30, 31, 2, history.OK) }, one},
		{"another key", mutex, nil, func(b *build) { first(b, plain).guarded(plain, "guard", "7", "b", 30, 31, 2, history.OK) }, nil},
		{"refused by the plain store, though it held that", mutex, nil, func(b *build) { first(b, plain).guarded(plain, "v", "a", "b", 30, 31, 0, history.Fail) }, one},
		{"refused by a fenced store", mutex, nil, func(b *build) {
			first(b, fencedS).guarded(fencedS, "v", "a", "b", 30, 31, 0, history.Fail).on(fencedS, history.Read, "v", "a", 40, 41, 0)
		}, map[string]int{"fence-lockout": 1}},
		{"and then read what nobody wrote", mutex, nil, func(b *build) {
			first(b, fencedS).guarded(fencedS, "v", "a", "b", 30, 31, 0, history.Fail).on(fencedS, history.Read, "v", "x", 40, 41, 0)
		}, map[string]int{"fence-lockout": 1, "nonlinearizable": 1}},
	})
}

// TestFence: what a fenced store applied is held against all grants that may have been at the
// same time, by their tokens; where the times tell which was the newer they decide, also
// against the tokens.
func TestFence(t *testing.T) {
	o := mutex
	o.Tokens = true
	use := func(b *build, lease, at int64) { b.store(lease, fencedS, history.Read, "counter", "0", at, at+1) }
	for _, tt := range []struct {
		name string
		make func(b *build)
		want int
	}{
		{"tokens that grow with use", func(b *build) {
			b.fenced(1, 1, 0, 100, 0, 30).fenced(2, 2, 0, 200, 0, 40)
			use(b, 1, 300)
			use(b, 2, 310)
		}, 0},
		{"tokens that fall", func(b *build) {
			b.fenced(1, 1, 0, 100, 0, 40).fenced(2, 2, 0, 200, 0, 30)
			use(b, 1, 300)
			use(b, 2, 310)
		}, 1},
		{"one of an earlier return and a greater token is remembered", func(b *build) {
			b.fenced(1, 1, 0, 100, 0, 50).fenced(2, 2, 0, 200, 0, 30).fenced(3, 3, 0, 300, 0, 40)
			use(b, 2, 400)
			use(b, 1, 410)
			use(b, 3, 420)
		}, 1},
		{"beside it one of a later return and a smaller token", func(b *build) {
			b.fenced(1, 1, 0, 100, 0, 50).fenced(2, 2, 0, 200, 0, 30).fenced(3, 3, 150, 300, 0, 20)
			use(b, 2, 400)
			use(b, 1, 410)
			use(b, 3, 420)
		}, 1},
		{"for which a later and greater one stands", func(b *build) {
			b.fenced(1, 1, 0, 100, 0, 50).fenced(2, 2, 0, 200, 0, 30).fenced(3, 3, 150, 300, 0, 40).fenced(4, 4, 150, 310, 0, 35)
			use(b, 2, 400)
			use(b, 1, 410)
			use(b, 3, 420)
			use(b, 4, 430)
		}, 1},
		{"of two that returned at one moment that of the greater token", func(b *build) {
			b.fenced(1, 1, 0, 100, 0, 30).fenced(2, 2, 0, 100, 0, 40).fenced(3, 3, 0, 110, 0, 35)
			use(b, 1, 400)
			use(b, 2, 410)
			use(b, 3, 420)
		}, 1},
		{"an older grant after a newer, whatever the tokens say", func(b *build) {
			b.fenced(1, 1, 0, 100, 0, 40).fenced(2, 2, 150, 200, 0, 30)
			use(b, 1, 300)
			use(b, 2, 310)
			use(b, 1, 320)
		}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBuild().start(fencedS, "counter", "0")
			tt.make(b)
			res := checker.Check(b.history(t), o, nil)
			if got := res.Counts.Anomalies["stale-accepted"]; got != tt.want {
				t.Errorf("%d, want %d: %v", got, tt.want, res.Counts.Anomalies)
			}
		})
	}
}
