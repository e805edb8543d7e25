package checker_test

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"locktorture/checker"
	"locktorture/history"
)

// A lessor is a lock with a TTL of 2 s that is right, and what it may tell wrong.
type lessor struct {
	r    *rand.Rand
	b    *build
	done map[int]int64 // client → when its last operation ended
	lie  int64         // ms that it adds to the validity that it tells
	void int64         // the lease that it calls over when it is asked; 0: none
}

// leases makes a history of thirty grants, ms by ms. Waits, delays and holds are drawn, so
// that some holders overstay; looks at the server take up to 99 ms until they are recorded.
func (l *lessor) leases() {
	free := int64(10)
	for n := int64(1); n <= 30; n++ {
		c := int(n%6) + 1
		call := max(free-l.r.Int64N(1500), l.done[c]+1)
		granted := max(call, free) + 1 + l.r.Int64N(30)
		if n == l.void {
			call = granted - 1
		}
		sent, ret := max(call, granted-l.r.Int64N(20)), granted+l.r.Int64N(20)
		expiry, told := granted+2000, sent+2000+l.lie
		l.b.grant(c, n, call, ret, 0)
		if n == l.void {
			l.b.over(n, ret+1, ret+2).release(n, ret+3, ret+4, history.OK)
			free, l.done[c] = ret+5, ret+4
			continue
		}
		l.b.ask(n, ret, ret, told, told+5)
		end := ret + 1 + l.r.Int64N(2600)
		for p := granted + l.r.Int64N(50); p < min(end, expiry); p += 50 + l.r.Int64N(200) {
			late := l.r.Int64N(100)
			l.b.probe(p+late, "p"+strconv.Itoa(c)+":"+strconv.FormatInt(n, 10), expiry+late)
		}
		how := history.OK
		if free = end + 1; end >= expiry {
			how, free = history.Fail, expiry
		}
		l.b.release(n, end, end+2, how)
		l.done[c] = end + 2
	}
}

// TestPromisesRandom: a lock that tells the truth is never flagged, however long
// its answers take; one that tells a validity a fifth too long, or calls one grant
// in thirty over at once, always is.
func TestPromisesRandom(t *testing.T) {
	for seed := range uint64(300) {
		count := func(lie, void int64) checker.Counts {
			b := newBuild()
			l := &lessor{r: rand.New(rand.NewPCG(20261121, seed)), b: b, done: map[int]int64{}, lie: lie, void: void}
			l.leases()
			return checker.Check(b.history(t), bounded, nil).Counts
		}
		if n := count(0, 0).Anomalies; n["void-grant"]+n["false-validity"]+n["double-grant"] > 0 {
			t.Fatalf("seed %d: the truth is %v", seed, n)
		}
		if n := count(400, 0).Anomalies; n["false-validity"] == 0 || n["void-grant"] > 0 {
			t.Fatalf("seed %d: a fifth too long is %v", seed, n)
		}
		if n := count(0, 1+int64(seed%30)).Anomalies; n["void-grant"] != 1 || n["false-validity"]+n["double-grant"] > 0 {
			t.Fatalf("seed %d: one void grant is %v", seed, n)
		}
	}
}
