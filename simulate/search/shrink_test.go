package search

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"locktorture/checker"
	"locktorture/history"
	"locktorture/nemesis/points/schedule"
	"locktorture/simulate"
	"locktorture/simulate/inside"
)

// toy plays trials in which an anomaly is there exactly where a rule says so: the logic of
// shrinking alone, without a lock.
type toy struct {
	runs int
	// rule is the fault to which it is put down, and what was done, if that is no acquire, as in
	// "pause release"; "": there is none.
	rule func(t Trial) string
}

func (y *toy) Play(_ context.Context, t Trial) (*Outcome, error) {
	y.runs++
	o := &Outcome{Trial: t, Struck: t.Schedule, Run: &simulate.Result{}}
	for _, d := range t.Schedule {
		o.Run.Struck = append(o.Run.Struck, simulate.Strike{Decision: d, At: int64(d.At.Ordinal) * int64(100*time.Millisecond)})
	}
	if by, did, _ := strings.Cut(y.rule(t), " "); by != "" {
		a := checker.Anomaly{Kind: "deadlock", Property: checker.Liveness, Incident: 1, Ops: []history.Op{{Client: 2, F: history.F(cmp.Or(did, string(history.Acquire)))}}}
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
	s, err := Shrink(t.Context(), y, wide(t), hung, runs, Loads(Load{}, 500*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	if y.runs != s.Runs || s.Runs > runs {
		t.Errorf("%d runs, %d told, at most %d", y.runs, s.Runs, runs)
	}
	if _, ok := s.Mechanism.Shows(s.Outcome); !ok || s.Mechanism.Roles != hung.Roles {
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

// Everything that the anomaly does not need goes, and times are the second of the round ones
// with which it is there.
func TestShrink(t *testing.T) {
	s := shrunk(t, DefaultRuns, func(t Trial) string {
		if t.Order.Clients >= 2 && holds(t, 313*time.Millisecond) {
			return "hold"
		}
		return ""
	})
	if got, want := s.Trial.Schedule.String(), "at c1 send SET redis-1 #1: hold nodes=4 for=500ms\n"; got != want {
		t.Errorf("left is\n%s, want\n%s", got, want)
	}
	if o := s.Trial.Order; o.Clients != 2 || o.Duration > time.Second || !s.Enough {
		t.Errorf("%d clients, %v, enough %v after %d runs", o.Clients, o.Duration, s.Enough, s.Runs)
	}
}

// An anomaly in which others did something else is another one.
func TestShrinkKeepsMechanism(t *testing.T) {
	s := shrunk(t, DefaultRuns, func(t Trial) string {
		switch {
		case holds(t, 313*time.Millisecond) && len(t.Schedule) > 1:
			return "hold"
		case len(t.Schedule) == 1: // simpler, and not what was found
			return "pause release"
		}
		return ""
	})
	if len(s.Trial.Schedule) != 2 || !holds(s.Trial, 313*time.Millisecond) {
		t.Errorf("left is\n%s", s.Trial.Schedule)
	}
}

// A fault that the anomaly does not need goes, even if the checker puts it down to that one
// while it is there.
func TestShrinkNeedless(t *testing.T) {
	s := shrunk(t, DefaultRuns, func(t Trial) string {
		switch {
		case !slices.ContainsFunc(t.Schedule, func(d schedule.Decision) bool { return d.Kind == schedule.Clock }):
			return ""
		case holds(t, 0):
			return "hold"
		}
		return "clock"
	})
	if got, want := s.Trial.Schedule.String(), "at c1 send SET redis-5 #1: clock nodes=5 by=-25ms for=25ms\n"; got != want || s.Mechanism.Fault != "clock of A" {
		t.Errorf("left is\n%s, by %s, want\n%s", got, s.Mechanism.Fault, want)
	}
}

// Times are rounded as far as the anomaly is still there.
func TestShrinkRounds(t *testing.T) {
	for left, least := range map[time.Duration]time.Duration{900 * time.Millisecond: 870 * time.Millisecond, 896 * time.Millisecond: 896 * time.Millisecond} {
		from := wide(t)
		from.Schedule[1].For = 896619575
		rule := func(t Trial) string {
			i := slices.IndexFunc(t.Schedule, func(d schedule.Decision) bool { return d.Kind == schedule.Hold })
			if i >= 0 && t.Schedule[i].For >= least && t.Schedule[i].For < 897*time.Millisecond+map[bool]time.Duration{true: 300 * time.Millisecond}[t.Order.Seed > 0 || left == 900*time.Millisecond] {
				return "hold"
			}
			return ""
		}
		s, err := Shrink(t.Context(), &toy{rule: rule}, from, hung, DefaultRuns, nil)
		if err != nil || s.Trial.Schedule[0].For != left {
			t.Errorf("from %v: %v, left is\n%s", least, err, s.Trial.Schedule)
		}
	}
}

// What hangs on timing is left where other worlds show it too: with the room that times have
// on real servers, too.
func TestShrinkSteady(t *testing.T) {
	for _, c := range []struct{ least, most, left time.Duration }{
		{313 * time.Millisecond, 5 * time.Second, 500 * time.Millisecond},
		{313 * time.Millisecond, 940 * time.Millisecond, 500 * time.Millisecond},  // it was found on the edge
		{896 * time.Millisecond, 1140 * time.Millisecond, 900 * time.Millisecond}, // as it was found
	} {
		s := shrunk(t, DefaultRuns, func(t Trial) string {
			i := slices.IndexFunc(t.Schedule, func(d schedule.Decision) bool { return d.Kind == schedule.Hold })
			if i >= 0 && t.Schedule[i].For >= c.least && t.Schedule[i].For <= c.most {
				return "hold"
			}
			return ""
		})
		if left := s.Trial.Schedule[0].For; left != c.left {
			t.Errorf("from %v to %v: left is %v", c.least, c.most, left)
		}
	}
}

// An anomaly that is seen in one world alone makes way for one that others show: here where
// sections are long.
func TestSteadier(t *testing.T) {
	rule := func(t Trial) string {
		if holds(t, 313*time.Millisecond) && (t.Order.Seed == 0 || t.Order.Hold == "250ms") {
			return "hold"
		}
		return ""
	}
	s := shrunk(t, DefaultRuns, rule)
	if s.Trial.Order.Hold != "250ms" {
		t.Errorf("sections of %q", s.Trial.Order.Hold)
	}
	r, err := Robust(t.Context(), &toy{rule: rule}, s.Trial, hung, 4)
	if err != nil || r.Seen != 4 || r.Worlds != 4 {
		t.Errorf("%+v, %v", r, err)
	}
	s.Trial.Order.Hold = "50ms"
	if r, _ := Robust(t.Context(), &toy{rule: rule}, s.Trial, hung, 4); r.Seen != 0 {
		t.Errorf("%+v", r)
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
	if _, err := Shrink(t.Context(), &toy{rule: func(Trial) string { return "pause" }}, wide(t), hung, 6, nil); err == nil {
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
	if all[0].With != all[0].Without {
		t.Errorf("the pause matters in other worlds: %+v", all[0])
	}
	hold := all[1]
	if hold.Earlier != 1 || hold.Later != farthest {
		t.Errorf("%d earlier, %d later", hold.Earlier, hold.Later)
	}
	if got, want := hold.Times[0], (Range{"for", 160 * time.Millisecond, 80 * time.Millisecond, 160 * time.Millisecond}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// What is seen only where a client stands still at once is seen in no other world.
func TestRobustLateSignals(t *testing.T) {
	y := &toy{rule: func(t Trial) string {
		if t.Late > 0 {
			return ""
		}
		return "pause"
	}}
	m := Mechanism{Anomaly: "deadlock", Roles: "A acquire", Fault: "pause of A"}
	if r, err := Robust(t.Context(), y, wide(t), m, 4); err != nil || r.Seen != 0 || r.Worlds != 4 {
		t.Errorf("%+v, %v", r, err)
	}
}

// A fault that was not tested, because the time was over or the runs were used up, has no role: only
// its line is shown.
func TestCausesUntested(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	y := &toy{rule: func(t Trial) string {
		if !holds(t, 0) {
			cancel()
		}
		return "hold"
	}}
	found, err := y.Play(ctx, wide(t))
	if err != nil {
		t.Fatal(err)
	}
	all, err := Causes(ctx, y, &Shrunk{Outcome: found, Mechanism: hung})
	if err != context.Canceled || len(all) != 1 {
		t.Fatalf("%v: %v", err, all)
	}
	if why, rest := Why(found.Trial, all, Robustness{}), found.Trial.Schedule[1:].String(); why != all[0].String()+rest {
		t.Errorf("%s, want at its end\n%s", why, rest)
	}
	s := wide(t)
	for range 7 {
		s.Schedule = append(s.Schedule, s.Schedule[0])
	}
	if found, err = y.Play(ctx, s); err != nil {
		t.Fatal(err)
	}
	if all, err = Causes(t.Context(), &toy{rule: func(Trial) string { return "hold" }}, &Shrunk{Outcome: found, Mechanism: hung}); err != nil || len(all) == 0 || len(all) == len(s.Schedule) {
		t.Errorf("%v: %d of %d faults were tested", err, len(all), len(s.Schedule))
	}
}

// A time is not tried beyond the limit of schedules.
func TestCausesLongest(t *testing.T) {
	y := &toy{rule: func(tried Trial) string {
		if err := tried.Schedule.Check(5, 5); err != nil {
			t.Error(err)
		}
		return "hold"
	}}
	trial := wide(t)
	trial.Schedule[1].For = schedule.MostFor - 25*time.Millisecond
	found, err := y.Play(t.Context(), trial)
	if err != nil {
		t.Fatal(err)
	}
	all, err := Causes(t.Context(), y, &Shrunk{Outcome: found, Mechanism: hung})
	if err != nil || all[1].Times[0].Longer != 20*time.Millisecond {
		t.Errorf("%v: %v", err, all)
	}
}
