package state_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktorture/history"
	"locktorture/report/state"
)

// runs are recorded runs with stopped and killed clients, moved clocks, a failover, several
// holders at once, elections and tokens.
var runs = []string{"redlock-clock", "redis-fenced-pause", "holds-redis-permits", "told-while-released", "etcd-election-cut", "local-kill", "redis-fenced-failover"}

func corpus(t *testing.T, name string) history.History {
	t.Helper()
	h, _, err := history.ReadFile(filepath.Join("..", "..", "checker", "testdata", name+".jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestStateIsWhatTheHistorySays compares the state at random instants with what the history
// says when each question is put to all of it anew.
func TestStateIsWhatTheHistorySays(t *testing.T) {
	seen := map[string]int{}
	for _, name := range runs {
		h := corpus(t, name)
		p, r := of(h), rand.New(rand.NewPCG(18, 3))
		for range 50 {
			instant := r.Int64N(h[len(h)-1].Time)
			s, err := state.At(h, instant)
			if err != nil {
				t.Fatal(err)
			}
			p.instant = instant
			if diff := cmp.Diff(p.state(), plain(s)); diff != "" {
				t.Fatalf("%s at %d (-history +state):\n%s", name, instant, diff)
			}
			count(seen, s)
		}
	}
	for _, what := range []string{"held", "phase 2", "phase 3", "dead", "waiting", "look", "free", "holders", "mark", "cell", "fault", "told"} {
		if seen[what] < 3 {
			t.Errorf("%s was seen %d times: the instants prove little", what, seen[what])
		}
	}
	t.Log(seen)
}

func count(seen map[string]int, s state.State) {
	for _, c := range s.Clients {
		switch c.Doing.F {
		case history.Crash:
			seen["dead"]++
		case history.Acquire:
			seen["waiting"]++
		}
		for _, l := range c.Leases {
			seen["held"]++
			seen[fmt.Sprintf("phase %d", l.Phase)]++
			if l.Least > 0 {
				seen["told"]++
			}
		}
	}
	for _, l := range s.Looks {
		seen["look"]++
		if len(l.Holders) == 0 {
			seen["free"]++
		}
		if len(l.Holders) > 1 {
			seen["holders"]++
		}
	}
	seen["mark"] += len(s.Marks)
	seen["cell"] += len(s.Cells)
	seen["fault"] += len(s.Faults)
}

// plain returns the lines of a state.
func plain(s state.State) (lines []string) {
	for _, c := range s.Clients {
		lines = append(lines, fmt.Sprintf("%s does %q since %d", c.Name, c.Doing.F, c.Doing.Since))
		for _, l := range c.Leases {
			lines = append(lines, fmt.Sprintf("%s has %d of %s token %d granted %d phase %d until %d %d", c.Name, l.Number, l.Lock, l.Token, l.Granted, l.Phase, l.Least, l.Most))
		}
	}
	for _, l := range s.Looks {
		line := fmt.Sprintf("%s %s seen %d asked %d:", l.Node, l.Lock, l.Seen, l.Asked)
		for _, h := range l.Holders {
			line += fmt.Sprintf(" %s %s %d until %d", h.Owner, h.Mode, h.Permits, h.Until)
		}
		lines = append(lines, line)
	}
	for _, c := range s.Cells {
		lines = append(lines, fmt.Sprintf("%s %s = %s by %s apply %d", c.Store, c.Key, c.Value, c.By, c.Apply))
	}
	for _, m := range s.Marks {
		lines = append(lines, fmt.Sprintf("%s mark %d", m.Store, m.Token))
	}
	for _, f := range s.Faults {
		lines = append(lines, fmt.Sprintf("fault %d %s", f.Fault, f.Node))
	}
	slices.Sort(lines)
	return lines
}

// An owner that a server shows before its client was told is named once it was. What the
// harness asks for the record tells the client nothing.
func TestWhatComesLater(t *testing.T) {
	op := func(at int64, typ history.Type, f history.F) history.Op {
		return history.Op{Time: at, Client: 1, Type: typ, F: f, Lock: "L"}
	}
	look := history.Op{Time: 2, Process: history.Harness, Type: history.Info, F: history.Probe, Lock: "L", Node: "n", Value: "p0:x", UntilMax: 90}
	grant := op(3, history.OK, history.Acquire)
	grant.Lease, grant.Value = 7, "p0:x"
	ask := op(5, history.OK, history.Ask)
	ask.Lease, ask.UntilMin, ask.UntilMax, ask.ForRecord = 7, 80, 81, true
	over := op(6, history.Fail, history.Ask)
	over.Lease, over.Refused = 7, history.ByClient
	h := history.History{op(1, history.Invoke, history.Acquire), look, grant, ask, over}
	for _, c := range []struct {
		at     int64
		client string
		lease  int64
		phase  state.Phase
	}{{2, "", 0, 0}, {3, "c1", 7, state.Held}, {5, "c1", 7, state.Held}, {6, "c1", 7, state.Over}} {
		s, err := state.At(h, c.at)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Looks[0].Holders[0]; got.Client != c.client || got.Lease != c.lease || got.Until != 90 {
			t.Errorf("at %d the server shows %+v", c.at, got)
		}
		if c.lease == 0 {
			continue
		}
		if l := s.Clients[0].Leases[0]; l.Least != 0 || l.Phase != c.phase {
			t.Errorf("at %d the client knows %+v", c.at, l)
		}
	}
}
