package checker_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"locktorture/checker"
	"locktorture/history"
	"locktorture/locks"
)

// What rules.md says of latches and barriers, once more and as plainly as it can be
// said: each pass is held against all calls, and generations are tried out until some fit.

// referenceLatch counts what is wrong with the passes through one latch of so many parties.
func referenceLatch(h history.History, need int) map[string]int {
	found := map[string]int{}
	for i := range h {
		pass := &h[i]
		if pass.F != history.Await || pass.Type != history.OK {
			continue
		}
		parties, calls := map[string]bool{}, 0
		for j := range h {
			c := &h[j]
			if c.F != history.CountDown || c.Type != history.Invoke || c.Time > pass.Time || outcome(h, c) == history.Fail {
				continue
			}
			parties[c.Value] = true
			calls++
		}
		switch {
		case len(parties) >= need:
		case calls >= need:
			found["double-count"]++
		default:
			found["early-open"]++
		}
	}
	return found
}

// outcome is how a call ended; Info for one that did not.
func outcome(h history.History, call *history.Op) history.Type {
	for i := range h {
		if h[i].Process == call.Process && h[i].Type != history.Invoke && h[i].F == call.F {
			return h[i].Type
		}
	}
	return history.Info
}

func TestReferenceLatch(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 1))
	seen := map[string]int{}
	for n := range 3000 {
		need := 1 + r.IntN(3)
		b := newBuild()
		types := []history.Type{history.OK, history.OK, history.Info, history.Fail}
		for i := range 1 + r.IntN(8) {
			op := history.Op{Lock: "L.1", Process: i, Client: 1 + i%3, Parties: need, F: history.CountDown, Value: strconv.Itoa(r.IntN(need + 1))}
			if r.IntN(2) == 0 {
				op.F, op.Value = history.Await, ""
			}
			call := r.Int64N(20)
			b.add(call, call+r.Int64N(10), op, types[r.IntN(len(types))], nil)
		}
		h := b.history(t)
		o := checker.Options{Kind: locks.CountDownLatch, Model: "latch"}
		got := checker.Check(h, o, nil).Counts.Anomalies
		want := referenceLatch(h, need)
		if len(want) > 0 { // the model says so, too: of a latch once
			want["nonlinearizable"] = 1
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("history %d, %d parties: %v, want %v\n%v", n, need, got, want, h)
		}
		for kind := range got {
			seen[kind]++
		}
	}
	for _, kind := range []string{"early-open", "double-count", "nonlinearizable"} {
		if seen[kind] < 100 {
			t.Errorf("%s in %d histories: they show too little", kind, seen[kind])
		}
	}
}

// A came is a call to enter a barrier, and when it returned; not before the end if out is
// history.Never.
type came struct{ in, out int64 }

// generationsFit tries out whether those who were let in fit into generations of so many, each
// under way at one moment.
func generationsFit(list []came, used []bool, need int) bool {
	first := -1
	for i, c := range list {
		if !used[i] && c.out < history.Never && (first < 0 || c.out < list[first].out) {
			first = i
		}
	}
	if first < 0 {
		return true
	}
	used[first] = true
	ok := chooseRest(list, used, 0, need-1, list[first].in, list[first].out, need)
	used[first] = false
	return ok
}

// chooseRest fills a generation up, and goes on with the next.
func chooseRest(list []came, used []bool, from, missing int, latestIn, firstOut int64, need int) bool {
	if missing == 0 {
		return generationsFit(list, used, need)
	}
	for i := from; i < len(list); i++ {
		in, out := max(latestIn, list[i].in), min(firstOut, list[i].out)
		if used[i] || in > out {
			continue
		}
		used[i] = true
		ok := chooseRest(list, used, i+1, missing-1, in, out, need)
		used[i] = false
		if ok {
			return true
		}
	}
	return false
}

func TestReferenceBarrier(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 2))
	right := 0
	for n := range 3000 {
		need := 2 + r.IntN(2)
		b := newBuild()
		var list []came
		for i := range 2 + r.IntN(7) {
			call := r.Int64N(12)
			c := came{call, call + r.Int64N(8)}
			switch r.IntN(6) {
			case 0:
				op := history.Op{F: history.Acquire, Lock: "L", Process: i, Client: i + 1, Mode: history.Party, Parties: need}
				b.add(c.in, c.out, op, history.Info, nil)
				c.out = history.Never
			default:
				b.process[i+1] = i
				b.partyOf(need, i+1, int64(i+1), c.in, c.out)
			}
			list = append(list, c)
		}
		h := b.history(t)
		res := checker.Check(h, checker.Options{Kind: locks.DoubleBarrier, Model: "barrier"}, nil)
		fits := generationsFit(list, make([]bool, len(list)), need)
		got := res.Counts.Anomalies
		if fits != (got["early-open"] == 0) || fits != (got["nonlinearizable"] == 0) {
			t.Fatalf("history %d, %d parties: %v, generations fit: %v\n%v", n, need, got, fits, h)
		}
		if fits {
			right++
		}
	}
	if right < 300 || right > 2700 {
		t.Errorf("%d of 3000 histories are right: they show too little", right)
	}
}
