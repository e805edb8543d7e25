package search

import (
	"context"
	"slices"
	"testing"
	"time"

	"locktorture/checker"
	"locktorture/history"
	"locktorture/simulate"
	"locktorture/simulate/inside"
	"locktorture/simulate/schedule"
)

// toy plays trials in which an anomaly is there exactly where a rule says so: the logic of
// shrinking alone, without a lock.
type toy struct {
	runs int
	rule func(t Trial) string // the fault to which it is put down; "": there is none
}

func (y *toy) Play(_ context.Context, t Trial) (*Outcome, error) {
	y.runs++
	o := &Outcome{Trial: t, Struck: t.Schedule, Run: &simulate.Result{}}
	for _, d := range t.Schedule {
		o.Run.Struck = append(o.Run.Struck, simulate.Strike{Decision: d, At: int64(d.At.Ordinal) * int64(100*time.Millisecond)})
	}
	if by := y.rule(t); by != "" {
		a := checker.Anomaly{Kind: "deadlock", Property: checker.Liveness, Incident: 1, Ops: []history.Op{{Client: 2, F: history.Acquire}}}
		o.Result.Properties = []checker.Property{{Name: checker.Liveness, Anomalies: []checker.Anomaly{a}}}
		o.Result.Incidents.List = []checker.Incident{{Number: 1, Cause: &history.Op{F: history.Fault, Key: by, Client: 2}}}
	}
	return o, nil
}

// wide is a trial with more than is needed.
func wide(t *testing.T) Trial {
	t.Helper()
	s, err := schedule.Parse(`at c1 gate write #3: pause for=700ms
at c2 send SET redis-1 #8: hold nodes=1,2,4 for=900ms
at c1 send SET redis-5 #4: clock nodes=1,2,3,4,5 by=-800ms for=600ms
`)
	if err != nil {
		t.Fatal(err)
	}
	return Trial{Order: inside.Order{Clients: 5, TTL: 500 * time.Millisecond, Duration: 4 * time.Second}, Schedule: s}
}

var hung = Mechanism{Anomaly: "deadlock", Roles: "A acquire", Fault: "hold of A"}

// shrunk cuts the wide trial down under a rule.
func shrunk(t *testing.T, runs int, rule func(t Trial) string) *Shrunk {
	t.Helper()
	y := &toy{rule: rule}
	s, err := Shrink(t.Context(), y, wide(t), hung, runs)
	if err != nil {
		t.Fatal(err)
	}
	if y.runs != s.Runs || s.Runs > runs {
		t.Errorf("%d runs, %d told, at most %d", y.runs, s.Runs, runs)
	}
	if _, ok := hung.Shows(s.Outcome); !ok {
		t.Error("what is left shows another mechanism")
	}
	return s
}

// holds finds a hold that is long enough, on a server, by a client.
func holds(t Trial, least time.Duration) bool {
	return slices.ContainsFunc(t.Schedule, func(d schedule.Decision) bool {
		return d.Kind == schedule.Hold && d.For >= least && slices.Contains(d.Strikes(), 4)
	})
}

// Everything that the anomaly does not need goes, and times are the least with which it is
// there, and a margin more.
func TestShrink(t *testing.T) {
	s := shrunk(t, DefaultRuns, func(t Trial) string {
		if t.Order.Clients >= 2 && holds(t, 313*time.Millisecond) {
			return "hold"
		}
		return ""
	})
	if got, want := s.Trial.Schedule.String(), "at c1 send SET redis-1 #1: hold nodes=4 for=330ms\n"; got != want {
		t.Errorf("left is\n%s, want\n%s", got, want)
	}
	if o := s.Trial.Order; o.Clients != 2 || o.Duration > 500*time.Millisecond || !s.Held || !s.Enough {
		t.Errorf("%d clients, %v, held %v, enough %v after %d runs", o.Clients, o.Duration, s.Held, s.Enough, s.Runs)
	}
}

// An anomaly that is put down to another fault, or to nobody, is another one.
func TestShrinkKeepsMechanism(t *testing.T) {
	s := shrunk(t, DefaultRuns, func(t Trial) string {
		switch {
		case holds(t, 313*time.Millisecond) && len(t.Schedule) > 1:
			return "hold"
		case len(t.Schedule) == 1: // simpler, and not what was found
			return "pause"
		}
		return ""
	})
	if len(s.Trial.Schedule) != 2 || !holds(s.Trial, 313*time.Millisecond) {
		t.Errorf("left is\n%s", s.Trial.Schedule)
	}
}

// A time that must not be too long either is left in the middle, with the margin on both
// sides.
func TestShrinkMargin(t *testing.T) {
	for _, c := range []struct {
		least, most time.Duration
		held        bool
	}{
		{313 * time.Millisecond, 5 * time.Second, true},
		{871 * time.Millisecond, 929 * time.Millisecond, true},
		{896 * time.Millisecond, 904 * time.Millisecond, false}, // a knife's edge
	} {
		s := shrunk(t, DefaultRuns, func(t Trial) string {
			i := slices.IndexFunc(t.Schedule, func(d schedule.Decision) bool { return d.Kind == schedule.Hold })
			if i >= 0 && t.Schedule[i].For >= c.least && t.Schedule[i].For <= c.most {
				return "hold"
			}
			return ""
		})
		margin := Margin(s.Trial.Order.TTL)
		left := s.Trial.Schedule[0].For
		inside := left-margin >= c.least && left+margin <= c.most
		if s.Held != c.held || inside != c.held {
			t.Errorf("from %v to %v: left is %v, held %v", c.least, c.most, left, s.Held)
		}
	}
}

// When the runs are used up, what was reached is returned, and says so.
func TestShrinkFewRuns(t *testing.T) {
	s := shrunk(t, 6, func(t Trial) string {
		if holds(t, 313*time.Millisecond) {
			return "hold"
		}
		return ""
	})
	if s.Enough || len(s.Trial.Schedule) > 2 {
		t.Errorf("enough %v, left is\n%s", s.Enough, s.Trial.Schedule)
	}
	if _, err := Shrink(t.Context(), &toy{rule: func(Trial) string { return "pause" }}, wide(t), hung, 6); err == nil {
		t.Error("a finding that a replay does not show was cut down")
	}
}

// Causes tell what is needed and how far it may go.
func TestCauses(t *testing.T) {
	y := &toy{rule: func(t Trial) string {
		i := slices.IndexFunc(t.Schedule, func(d schedule.Decision) bool { return d.Kind == schedule.Hold })
		if i >= 0 && t.Schedule[i].For >= 740*time.Millisecond && t.Schedule[i].For < 1000*time.Millisecond && t.Schedule[i].At.Ordinal >= 7 {
			return "hold"
		}
		return ""
	}}
	found, err := y.Play(t.Context(), wide(t))
	if err != nil {
		t.Fatal(err)
	}
	all, err := Causes(t.Context(), y, &Shrunk{Outcome: found, Mechanism: hung})
	if err != nil || len(all) != 3 {
		t.Fatalf("%v: %v", err, all)
	}
	if all[0].Needed || !all[1].Needed || all[2].Needed {
		t.Errorf("needed: %v", all)
	}
	hold := all[1]
	if hold.Earlier != 1 || hold.Later != farthest {
		t.Errorf("%d earlier, %d later", hold.Earlier, hold.Later)
	}
	if got, want := hold.Times[0], (Range{"for", 160 * time.Millisecond, 80 * time.Millisecond, 160 * time.Millisecond}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
