package simulate_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"locktorture/checker"
	"locktorture/harness"
	"locktorture/history"
	"locktorture/simulate"
	"locktorture/simulate/inside"
)

// An attack is a schedule on a lock, and what must come of it.
type attack struct {
	backend, line string
	anomaly       string // "" for none
}

// faulted is an order long enough for faults.
func faulted(backend string) inside.Order {
	o := order(backend, 2)
	o.Duration, o.Hold, o.Think = 1200*time.Millisecond, "50ms", "20ms"
	return o
}

// Broken locks show what they are known for, by one fault each.
func TestFaultsFind(t *testing.T) {
	strikes(t, []attack{
		{"redis-set-del", "at c2 reply SET=OK redis-1 #1: hold nodes=1 for=458ms", "foreign-release"},
		{"redis-setnx-expire", "at c1 send PEXPIRE redis-1 #1: drop", "deadlock"},
		{"redlock", "at c1 gate read #1: clock nodes=3,4,5 by=497ms for=9ms", "double-grant"},
		{"redis-getset", "at c1 gate write #1: skew by=1600ms for=300ms", "double-grant"},
		{"redis-set", "at c1 gate write #2: pause for=900ms", "overrun"},
		{"redis-set", "at c1 gate read #1: restart nodes=1 for=10ms data=lost", "double-grant"},
		{"redlock", "at c1 gate read #1: restart nodes=1,2,3 for=10ms data=lost", "double-grant"},
	})
}

// Sound behaviour is not flagged under any kind of fault, at a gate and at a message. What is
// not asked of a lock on one Redis is left out: that it survives the loss of its data, or a
// clock that ends its leases early.
func TestFaultsControls(t *testing.T) {
	var all []attack
	for _, line := range []string{
		"at c1 gate write #2: kill",
		"at c1 send SET redis-1 #3: kill",
		"at c1 send SET redis-1 #3: pause for=900ms",
		"at c1 gate write #2: hold nodes=1 for=700ms",
		"at c1 reply SET=OK redis-1 #1: hold for=200ms",
		"at c1 send EVAL redis-1 #1: drop",
		"at c1 send EVAL redis-1 #1: drop for=100ms",
		"at c1 reply SET=OK redis-1 #1: drop",
		"at c1 reply EVAL=1 redis-1 #1: reset",
		"at c1 send SET redis-1 #1: reset",
		"at c1 gate write #1: reset nodes=1",
		"at c1 send EVAL redis-1 #1: reorder for=50ms",
		"at c1 reply EVAL=1 redis-1 #1: reorder for=50ms",
		"at c1 gate read #1: clock nodes=1 by=-2s for=2ms", // nobody is granted the lock meanwhile
		"at c1 gate write #1: skew by=600ms for=100ms",
		"at c1 send SET redis-1 #2: skew by=-600ms for=300ms",
		"at c1 gate write #1: stop nodes=1 for=300ms",
		"at c1 send EVAL redis-1 #1: stop for=300ms",
		"at c1 gate write #1: restart nodes=1 for=30ms", // after eight failed dials go-redis rests for a second
		"at c1 reply SET=OK redis-1 #1: restart for=700ms",
	} {
		all = append(all, attack{"redis-set", line, ""})
	}
	strikes(t, append(all, attack{"redlock", "at c1 gate read #1: restart nodes=1,2 for=10ms data=lost", ""},
		attack{"redis-fenced", "at c1 gate write #2: pause for=200ms", ""}))
}

// strikes plays schedules of one line.
func strikes(t *testing.T, all []attack) {
	p := guest(t)
	for _, c := range all {
		t.Run(c.backend+" "+strings.ReplaceAll(c.line, " ", "_"), func(t *testing.T) {
			out, act := try(t, p, faulted(c.backend), c.line)
			r, s := out.Result, act.Result().Struck[0]
			t.Logf("struck at %v, healed at %v: %s %v", time.Duration(s.At), time.Duration(s.Healed), r.Sentence, r.Counts.Anomalies)
			if s.At == simulate.Never || s.Why != "" {
				t.Fatalf("it did not strike: %q", s.Why)
			}
			if kill := strings.HasSuffix(c.line, "kill"); kill != (s.Healed == simulate.Never) {
				t.Errorf("healed at %d", s.Healed)
			}
			switch {
			case r.Harness || r.Ended != "":
				t.Errorf("the run itself: %s, ended %q", r.Reason, r.Ended)
			case c.anomaly != "" && r.Counts.Anomalies[c.anomaly] == 0:
				t.Errorf("no %s: %s", c.anomaly, r.Sentence)
			case c.anomaly == "" && (r.Failed || len(r.Counts.Anomalies) > 0 || r.Grade == checker.Unsafe):
				t.Errorf("it is flagged: %s", r.Sentence)
			}
			if !slices.ContainsFunc(r.Faults, func(f checker.FaultCoverage) bool { return f.Injected == 1 && (f.Bit == 1 || c.anomaly == "") }) {
				t.Errorf("the history has no fault that was effective: %+v", r.Faults)
			}
		})
	}
}

// until is how many entries two histories have in common, apart from those of faults. Handling
// a fault, the harness looks at its clock, which each time is a nanosecond later. So what comes
// after the run's duration is apart, too: the harness ends waits at moments of its own clock,
// and a nanosecond decides which call is the last.
func until(a, b history.History) (n, of int) {
	apart := func(op history.Op) bool {
		return op.F == history.Fault || op.F == history.Heal || op.Time > int64(faulted("").Duration)
	}
	a, b = slices.DeleteFunc(slices.Clone(a), apart), slices.DeleteFunc(slices.Clone(b), apart)
	for of = len(b); n < len(a) && n < of; n++ {
		k := slices.IndexFunc(b[n:], func(op history.Op) bool { return alike(a[n], op) })
		if k < 0 || slices.ContainsFunc(b[n:n+k], func(op history.Op) bool { return op.Process == a[n].Process }) {
			break
		}
		found := b[n+k]
		copy(b[n+1:n+k+1], b[n:n+k])
		b[n] = found
	}
	return n, of
}

// alike compares two entries but for 100 ns: a look at the clock takes one, and so does what
// the harness does about a fault. Entries of two processes that are closer than that can
// change places.
func alike(x, y history.Op) bool {
	for _, t := range [][2]*int64{{&x.Time, &y.Time}, {&x.UntilMin, &y.UntilMin}, {&x.UntilMax, &y.UntilMax}} {
		align(*t[0], t[1], 100*time.Nanosecond)
	}
	return string(x.AppendJSON(nil)) == string(y.AppendJSON(nil))
}

// Leaving a decision out changes no draw: what went before it is the same, and all is where it
// had no effect.
func TestLeftOut(t *testing.T) {
	p, on := guest(t), servers(t, "redis-set")
	const late, idle = "at c1 gate write #4: kill", "at c2 gate write #1: stop nodes=1 for=1µs"
	run := func(schedule ...string) history.History {
		h, _ := play(t, p, on, faulted("redis-set"), schedule...)
		return h
	}
	plain, killed := run(), run(late)
	for _, pair := range [][2]history.History{{plain, run(idle)}, {killed, run(idle, late)}} {
		if n, of := until(pair[0], pair[1]); n != of {
			t.Errorf("a fault without effect changed entry %d of %d", n, of)
		}
	}
	crash := slices.IndexFunc(killed, func(op history.Op) bool { return op.F == history.Crash })
	if n, of := until(plain, killed); n < 50 || n != crash {
		t.Errorf("%d entries of %d are the same as without the kill, which is the %dth", n, of, crash)
	}
}

// Schedules that a run cannot have are refused; decisions whose points do not come, and those
// that find nobody, are told.
func TestStruck(t *testing.T) {
	p, on := guest(t), servers(t, "redis-set")
	o := faulted("redis-set")
	o.Fencing = harness.FencingOff
	if _, err := simulate.Run(t.Context(), simulate.Config{Order: o, Program: p, Servers: on, Schedule: parsed(t, "at c9 gate write #1: kill")}); err == nil {
		t.Error("a fault of client 9 of 3 was taken")
	}
	h, r := play(t, p, on, o, "at c1 gate write #1: pause for=100ms", "at c1 gate write #1: pause for=50ms", "at c1 gate write #999: kill",
		"at c1 gate read #1: hold nodes=1 for=1ms", "at c1 gate write #2: kill")
	for i, want := range []string{"", "c1 is already paused", "", "nothing was sent meanwhile", ""} {
		if s := r.Struck[i]; s.Why != want || (s.At == simulate.Never) != (i == 1 || i == 2 || i == 3) {
			t.Errorf("%v: at %d, %q, want %q", s.Decision, s.At, s.Why, want)
		}
	}
	struck := map[history.F]int{}
	for _, op := range h {
		if op.Type == history.Info {
			struck[op.F]++
		}
	}
	if struck[history.Fault] != 2 || struck[history.Heal] != 2 || struck[history.Crash] != 1 {
		t.Errorf("the history has %v", struck)
	}
}
