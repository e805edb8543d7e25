package checker_test

import (
	"testing"

	"locktorture/history"
)

// A quarter of the TTL of 2 s is 500 ms.
func TestVoidGrant(t *testing.T) {
	one := map[string]int{"void-grant": 1}
	reentrant := bounded
	reentrant.Model = ""
	run(t, []row{
		{"over when first asked, 499 ms after the call", bounded, nil, func(b *build) {
			b.grant(1, 1, 100, 110, 0).over(1, 120, 599)
		}, one},
		{"over when first asked, 500 ms after the call: the answer may have been kept back", bounded, nil, func(b *build) {
			b.grant(1, 1, 100, 110, 0).over(1, 120, 600)
		}, nil},
		{"a wait may be part of the validity", bounded, nil, func(b *build) {
			b.grant(2, 2, 0, 5, 600).release(2, 590, 591, history.OK).grant(1, 1, 100, 600, 0).over(1, 601, 602)
		}, nil},
		{"it promised next to nothing", bounded, nil, func(b *build) { b.grant(1, 1, 100, 110, 599) }, one},
		{"a careful lock takes much off the TTL", bounded, nil, func(b *build) { b.grant(1, 1, 100, 110, 600) }, nil},
		{"what counts is the latest end that was told", bounded, nil, func(b *build) {
			b.grant(1, 1, 100, 110, 0).ask(1, 110, 120, 590, 600)
		}, nil},
		{"over at the second question", bounded, nil, func(b *build) {
			b.grant(1, 1, 100, 110, 2100).over(1, 200, 201)
		}, nil},
		{"a question without an answer is none", bounded, nil, func(b *build) {
			b.grant(1, 1, 100, 110, 0).add(111, 112, b.under(1, history.Ask), history.Info, nil)
			b.process[1] = 101
			b.over(1, 113, 114)
		}, one},
		{"released before it asked", bounded, nil, func(b *build) {
			b.grant(1, 1, 100, 110, 0).release(1, 111, 115, history.OK).over(1, 120, 121)
		}, nil},
		{"the re-entry has what is left of the lease below it", reentrant, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).grant(1, 2, 1700, 1701, 2000).release(2, 1710, 1711, history.OK).release(1, 1720, 1721, history.OK)
		}, nil},
		{"but not when that was given back", reentrant, nil, func(b *build) {
			b.grant(1, 1, 0, 10, 2000).release(1, 1690, 1699, history.OK).grant(1, 2, 1700, 1701, 2000)
		}, one},
		{"its client was stopped meanwhile", bounded, nil, func(b *build) {
			b.grant(1, 1, 100, 110, 0).fault("pause", 1, 1, "c1", 110, 120).over(1, 120, 121)
		}, nil},
		{"another's stop explains nothing", bounded, nil, func(b *build) {
			b.grant(1, 1, 100, 110, 0).fault("pause", 1, 2, "c2", 110, 120).over(1, 120, 121)
		}, one},
		{"the server had come back empty", bounded, nil, func(b *build) {
			b.grant(1, 1, 100, 110, 0).fault("restart", 1, 0, "n1", 112, 115).over(1, 120, 121)
		}, nil},
		{"a cut that ended two TTLs before the call may have ended a session", watched, nil, func(b *build) {
			b.fault("partition", 1, 0, "n1", 0, 100).grant(1, 1, 4100, 4110, 0).lost(1, 4111)
		}, nil},
		{"one that ended before that may not", watched, nil, func(b *build) {
			b.fault("partition", 1, 0, "n1", 0, 99).grant(1, 1, 4100, 4110, 0).lost(1, 4111)
		}, one},
		{"lost before it could be used", watched, nil, func(b *build) { b.grant(1, 1, 100, 110, 0).lost(1, 119) }, one},
		{"a session may end at any time after a round trip", watched, nil, func(b *build) { b.grant(1, 1, 100, 110, 0).lost(1, 120) }, nil},
		{"a lock that tells no loss", bounded, nil, func(b *build) { b.grant(1, 1, 100, 110, 0).lost(1, 111) }, nil},
	})
}

func TestFalseValidity(t *testing.T) {
	one := map[string]int{"false-validity": 1}
	// An owner that is seen often enough that its expiry is known to a millisecond.
	exact := func(b *build) *build {
		return b.grant(9, 90, 0, 1, 1900).probe(2, "p9:90", 1907).probe(7, "p9:90", 1907).probe(12, "p9:90", 1907).
			release(90, 13, 14, history.OK)
	}
	both := func(b *build, at, until1, until2 int64) *build {
		b.probe(at, "p1:1", until1).probe(at, "p1:1", until2)
		b.h[len(b.h)-1].Node = "n2"
		return b
	}
	run(t, []row{
		{"the server keeps it 51 ms less than was told", bounded, nil, func(b *build) {
			exact(b).grant(1, 1, 20, 30, 2000).probe(40, "p1:1", 1949)
		}, one},
		{"50 ms may be the error of a look", bounded, nil, func(b *build) {
			exact(b).grant(1, 1, 20, 30, 2000).probe(40, "p1:1", 1950)
		}, nil},
		{"once for a lease", bounded, nil, func(b *build) {
			exact(b).grant(1, 1, 20, 30, 2000).probe(40, "p1:1", 1949).probe(290, "p1:1", 1949)
		}, one},
		{"the server keeps it longer", bounded, nil, func(b *build) {
			exact(b).grant(1, 1, 20, 30, 2000).probe(40, "p1:1", 2900)
		}, nil},
		{"it shows no expiry", bounded, nil, func(b *build) {
			exact(b).grant(1, 1, 20, 30, 2000).probe(40, "p1:1", history.Never)
		}, nil},
		{"it tells whole seconds", bounded, nil, func(b *build) {
			b.grant(1, 1, 20, 30, 2200).probe(150, "p1:1", 1150).probe(400, "p1:1", 1400)
		}, nil},
		{"it tells whole seconds, and more than one is missing", bounded, nil, func(b *build) {
			b.grant(1, 1, 20, 30, 2201).probe(150, "p1:1", 1150).probe(400, "p1:1", 1400)
		}, one},
		{"another than it was told has the look", bounded, nil, func(b *build) {
			exact(b).grant(1, 1, 20, 30, 2000).probe(40, "p2:2", 1200)
		}, nil},
		{"it had been given back", bounded, nil, func(b *build) {
			exact(b).grant(1, 1, 20, 30, 2000).release(1, 39, 60, history.OK).probe(40, "p1:1", 1200)
		}, nil},
		{"it was told after the look, of a renewal", bounded, nil, func(b *build) {
			exact(b).grant(1, 1, 20, 30, 2000).renew(1, 800, 801).ask(1, 801, 801, 2800, 2800).probe(900, "p1:1", 2000)
		}, nil},
		{"it was told long before the look, of a renewal", bounded, nil, func(b *build) {
			exact(b).grant(1, 1, 20, 30, 2000).renew(1, 800, 801).ask(1, 801, 801, 2800, 2800).probe(901, "p1:1", 2000)
		}, one},
		{"the clock of the server was moved", bounded, nil, func(b *build) {
			exact(b).grant(1, 1, 20, 30, 2000).fault("clock", 1, 0, "n1", 35, 100).probe(40, "p1:1", 1200)
		}, nil},
		{"a client was stopped, which moves no expiry", bounded, nil, func(b *build) {
			exact(b).grant(1, 1, 20, 30, 2000).fault("pause", 1, 1, "c1", 35, 100).probe(40, "p1:1", 1949)
		}, one},
		{"of two servers one keeps it", bounded, nil, func(b *build) {
			both(exact(b).grant(1, 1, 20, 30, 2000), 40, 1200, 2000)
		}, nil},
		{"of two servers none does", bounded, nil, func(b *build) {
			both(exact(b).grant(1, 1, 20, 30, 2000), 40, 1200, 1300)
		}, one},
		{"each of two once, under another promise", bounded, nil, func(b *build) {
			both(exact(b).grant(1, 1, 20, 30, 1500), 200, 1200, 1500).renew(1, 300, 301).ask(1, 301, 301, 2300, 2300)
			both(b, 500, 2300, 1500)
		}, nil},
		{"a watched lease declares no validity", watched, nil, func(b *build) {
			exact(b).grant(1, 1, 20, 30, 2000).probe(40, "p1:1", 1200)
		}, nil},
	})
}
