package checker_test

import (
	"testing"

	"locktorture/history"
)

// change is an upgrade or a downgrade of a lease; one of type "" is never answered.
func (b *build) change(f history.F, client int, lease, call, ret int64, t history.Type) *build {
	op := history.Op{F: f, Lock: "L", Process: client, Client: client, Lease: lease}
	b.add(call, ret, op, t, func(o *history.Op) {
		if t == history.Fail {
			o.Refused = history.ByServer
		}
	})
	return b
}

// A reader becomes the writer, and a reader again, with nobody in between.
func TestUpgrades(t *testing.T) {
	up := func(b *build, call, ret int64) *build { return b.change(history.Upgrade, 1, 1, call, ret, history.OK) }
	down := func(b *build, call, ret int64) *build {
		return b.change(history.Downgrade, 1, 1, call, ret, history.OK)
	}
	first := func(b *build) *build { return b.reader(1, 1, 0, 10, 0) }
	gap := map[string]int{"upgrade-gap": 1}
	run(t, []row{
		{"alone", rw, nil, func(b *build) { down(up(first(b), 20, 30), 40, 50).release(1, 60, 61, history.OK) }, nil},
		{"a writer came in between and left", rw, nil, func(b *build) {
			up(first(b), 20, 50).grant(2, 2, 25, 30, 0).release(2, 40, 45, history.OK).release(1, 60, 61, history.OK)
		}, gap},
		{"and stays", rw, nil, func(b *build) { up(first(b), 20, 50).grant(2, 2, 25, 30, 0) }, map[string]int{"upgrade-gap": 1, "double-grant": 1}},
		{"a writer that came before the upgrade", rw, nil, func(b *build) {
			up(first(b), 20, 50).grant(2, 2, 12, 20, 0).release(2, 40, 45, history.OK)
		}, map[string]int{"reader-beside-writer": 1}},
		{"of a refused upgrade, too", rw, nil, func(b *build) {
			first(b).change(history.Upgrade, 1, 1, 20, 50, history.Fail).grant(2, 2, 25, 30, 0).release(2, 40, 45, history.OK)
		}, gap},
		{"a reader that had gone when it returned", rw, nil, func(b *build) {
			up(first(b), 20, 50).reader(2, 2, 25, 30, 0).release(2, 50, 55, history.OK)
		}, nil},
		{"a reader that is there when it returns", rw, nil, func(b *build) {
			up(first(b), 20, 50).reader(2, 2, 25, 30, 0).release(2, 51, 55, history.OK)
		}, map[string]int{"reader-beside-writer": 1}},
		{"a reader that is let in beside the writer", rw, nil, func(b *build) {
			down(up(first(b), 20, 30), 40, 50).reader(2, 2, 35, 39, 0).release(2, 60, 61, history.OK)
		}, map[string]int{"reader-beside-writer": 1}},
		{"one that is let in by the downgrade", rw, nil, func(b *build) {
			down(up(first(b), 20, 30), 40, 50).reader(2, 2, 35, 40, 0).release(2, 60, 61, history.OK)
		}, nil},
		{"a writer between a writer and the reader that it becomes", rw, nil, func(b *build) {
			down(up(first(b), 20, 30), 40, 50).grant(2, 2, 35, 45, 0).release(2, 46, 47, history.OK)
		}, gap},
		{"a refused upgrade leaves a reader", rw, nil, func(b *build) {
			first(b).change(history.Upgrade, 1, 1, 20, 30, history.Fail).reader(2, 2, 35, 40, 0)
		}, nil},
	})
}

// Two readers wait to become the writer. The lock must be free within 3.3 s.
func TestTwoUpgrades(t *testing.T) {
	two := func(from, to int64, then func(b *build)) func(b *build) {
		return func(b *build) {
			b.reader(1, 1, 0, 10, 0).reader(2, 2, 0, 11, 0)
			b.change(history.Upgrade, 1, 1, 20, to+1, history.Fail).change(history.Upgrade, 2, 2, from, to, history.Fail)
			then(b)
			b.release(1, to+10, to+11, history.OK).release(2, to+10, to+11, history.OK)
		}
	}
	none := func(*build) {}
	dead := map[string]int{"deadlock": 1}
	run(t, []row{
		{"for too long", rw, nil, two(100, 3401, none), dead},
		{"just not", rw, nil, two(100, 3400, none), nil},
		{"a third reader was there", rw, nil, two(100, 3401, func(b *build) { b.reader(3, 3, 0, 12, 0).release(3, 3000, 3001, history.OK) }), nil},
		{"and had gone before", rw, nil, two(100, 3401, func(b *build) { b.reader(3, 3, 0, 12, 0).release(3, 50, 60, history.OK) }), dead},
		{"a fault was in place", rw, nil, two(100, 3401, func(b *build) { b.fault("partition", 1, 0, "n1", 1000, 1001) }), nil},
	})
}
