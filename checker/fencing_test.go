package checker_test

import (
	"testing"

	"locktorture/history"
)

func TestTokens(t *testing.T) {
	regression, duplicate := map[string]int{"token-regression": 1}, map[string]int{"token-duplicate": 1}
	run(t, []row{
		{"smaller, and surely later", tokened, nil, func(b *build) {
			b.fenced(1, 1, 0, 10, 2000, 34).release(1, 20, 30, history.OK).fenced(2, 2, 11, 40, 2040, 33)
		}, regression},
		{"smaller, but called before the other returned", tokened, nil, func(b *build) {
			b.fenced(1, 1, 0, 30, 2000, 34).release(1, 31, 32, history.OK).fenced(2, 2, 11, 40, 2011, 33)
		}, nil},
		{"a waiter whose validity shows that it was granted after", tokened, nil, func(b *build) {
			b.fenced(1, 1, 0, 30, 2000, 34).release(1, 500, 510, history.OK).fenced(2, 2, 11, 640, 2600, 33)
		}, regression},
		{"growing", tokened, nil, func(b *build) {
			b.fenced(1, 1, 0, 10, 2000, 34).release(1, 20, 30, history.OK).fenced(2, 2, 11, 40, 2040, 35)
		}, nil},
		{"the same, whichever was first", tokened, nil, func(b *build) {
			b.fenced(1, 1, 0, 30, 2000, 34).release(1, 31, 32, history.OK).fenced(2, 2, 11, 40, 2011, 34)
		}, duplicate},
		{"re-entry repeats its own", tokened, nil, func(b *build) {
			b.fenced(1, 1, 0, 10, 2000, 34).fenced(1, 2, 20, 30, 2000, 34)
		}, nil},
		{"the same process, but after it had released", tokened, nil, func(b *build) {
			b.fenced(1, 1, 0, 10, 2000, 34).release(1, 11, 12, history.OK).fenced(1, 2, 20, 30, 2020, 34)
		}, duplicate},
		{"tokens of another lock are no business of this one", tokened, nil, func(b *build) {
			b.fenced(1, 1, 0, 10, 2000, 34).release(1, 11, 12, history.OK)
			op := history.Op{F: history.Acquire, Lock: "M", Process: 2, Client: 2}
			b.add(20, 30, op, history.OK, func(o *history.Op) { o.Lease, o.Token = 2, 3 })
		}, nil},
	})
}

func TestFencedStore(t *testing.T) {
	two := func(b *build, t1, t2 uint64) *build { // c1 lets its lease run out, then c2
		return b.fenced(1, 1, 0, 10, 2000, t1).fenced(2, 2, 2100, 2110, 4100, t2)
	}
	run(t, []row{
		{"an old write after a new read: a token checked on writes alone has a hole", tokened, nil, func(b *build) {
			two(b, 33, 34).store(2, fencedS, history.Read, "x", "", 2200, 2201).store(1, fencedS, history.Write, "x", "1", 2300, 2301)
		}, map[string]int{"stale-accepted": 1, "overrun": 1}},
		{"equal tokens let the old one in: seen although no token says so", tokened, nil, func(b *build) {
			two(b, 34, 34).store(2, fencedS, history.Write, "x", "2", 2200, 2201).store(1, fencedS, history.Write, "x", "1", 2300, 2301)
		}, map[string]int{"stale-accepted": 1, "overrun": 1, "token-duplicate": 1}},
		{"an old write before the new one used the store", tokened, nil, func(b *build) {
			two(b, 33, 34).store(1, fencedS, history.Write, "x", "1", 2150, 2151).store(2, fencedS, history.Write, "x", "2", 2200, 2201)
		}, map[string]int{"overrun": 1}},
		{"the plain store has no fence", tokened, nil, func(b *build) {
			two(b, 33, 34).store(2, plain, history.Write, "x", "2", 2200, 2201).store(1, plain, history.Write, "x", "1", 2300, 2301)
		}, map[string]int{"overrun": 1}},
		{"the newest grant refused", tokened, nil, func(b *build) {
			two(b, 34, 33).store(1, fencedS, history.Write, "x", "1", 20, 21).stale(2, "x", "2", 2200, 2201)
		}, map[string]int{"fence-lockout": 1, "token-regression": 1}},
		{"an old grant refused is what a fence is for", tokened, nil, func(b *build) {
			two(b, 33, 34).store(2, fencedS, history.Write, "x", "2", 2200, 2201).stale(1, "x", "1", 2300, 2301)
		}, map[string]int{"overrun": 1}},
		{"refused while the newer was only under way at the store", tokened, nil, func(b *build) {
			two(b, 33, 34).store(2, fencedS, history.Write, "x", "2", 2200, 2400).stale(1, "x", "1", 2300, 2301)
		}, map[string]int{"overrun": 1}},
		{"refused before anybody newer had come", tokened, nil, func(b *build) {
			two(b, 33, 34).stale(1, "x", "1", 100, 101).store(2, fencedS, history.Write, "x", "2", 2200, 2201)
		}, map[string]int{"fence-lockout": 1}},
	})
}
