package timeline

import (
	"slices"
	"testing"
	"time"

	"locktorture/history"
)

// TestSurveyGrant: which tokens grew, and which did not.
func TestSurveyGrant(t *testing.T) {
	s := emptySurveyor(t, Options{})
	s.tokens, s.holders = map[string]uint64{}, map[int64]int{}
	for _, token := range []uint64{0, 3, 5, 5, 4} {
		s.grant(begun{op: &history.Op{F: history.Acquire, Lock: "L"}}, &history.Op{F: history.Acquire, Token: token})
	}
	check(t, []border{
		{"the greatest", s.tokens["L"], uint64(5)}, {"one that grew", s.Repeated["L"][3], 0},
		{"the same again", s.Repeated["L"][5], 1}, {"a lesser one", s.Repeated["L"][4], 1}, {"tokens that did not grow", len(s.Repeated["L"]), 2},
	})
}

// TestSurveyStore: what the answers of a store leave in doubt.
func TestSurveyStore(t *testing.T) {
	after := func(floor, apply int64) *surveyor {
		s := emptySurveyor(t, Options{})
		s.store(begun{op: &history.Op{F: history.Write, Store: history.Plain}, floor: floor}, &history.Op{F: history.Write, Type: history.OK, Apply: apply})
		return s
	}
	refused := func(store, guard string) int {
		s := emptySurveyor(t, Options{})
		op := &history.Op{F: history.CAS, Store: store, Key: "k", Guard: guard}
		s.store(begun{op: op}, &history.Op{F: history.CAS, Type: history.Fail, Refused: history.ByStore})
		return len(s.Unordered)
	}
	fenced := func(lease int64) bool {
		s := emptySurveyor(t, Options{})
		s.store(begun{op: &history.Op{F: history.Write, Store: history.Fenced, Lease: lease}}, nil)
		return s.FencedUsed
	}
	check(t, []border{
		{"applied next", after(5, 6).Untimely, false}, {"its number", after(5, 6).applied, int64(6)},
		{"a number that another has", after(5, 5).Untimely, true}, {"a number before that", after(5, 4).Untimely, true},
		{"refused for what the key holds", refused(history.Plain, "k"), 1},
		{"refused for a token, perhaps", refused(history.Fenced, "k"), 0},
		{"the fence under a lease", fenced(7), true}, {"the fence without one", fenced(0), false},
	})
}

// TestSurveyEntry: clients have numbers from 1, and an answer belongs to a call of its kind.
func TestSurveyEntry(t *testing.T) {
	s := emptySurveyor(t, Options{})
	s.ClientOf, s.Clients, s.open = map[int]int{}, map[int]bool{}, map[int]begun{}
	for _, op := range []*history.Op{
		{Process: 3, F: history.Read, Type: history.Invoke}, {Process: 3, F: history.Write, Type: history.OK}, {Process: history.Harness, Client: 2, F: history.Probe, Type: history.Info},
	} {
		if err := s.entry(op); err != nil {
			t.Fatal(err)
		}
	}
	check(t, []border{{"clients", len(s.Clients), 0}, {"under way", len(s.open), 1}})
}

// TestCountOwner: a name stands for the grants that told it, not for what else did.
func TestCountOwner(t *testing.T) {
	s := emptySurveyor(t, Options{})
	key := OwnerKey{"L", "a"}
	s.Owners[key] = OwnerSeen{}
	for _, op := range []*history.Op{
		{F: history.Acquire, Type: history.OK}, {F: history.Try, Type: history.OK}, {F: history.Release, Type: history.OK}, {F: history.Acquire, Type: history.Info},
	} {
		op.Lock, op.Value = "L", "a"
		if err := s.countOwner(op); err != nil {
			t.Fatal(err)
		}
	}
	check(t, []border{{"grants", s.Owners[key].Grants, 2}})
}

func TestJoined(t *testing.T) {
	got := joined([]Window{{30, 40}, {5, 20}, {0, 10}, {7, 8}})
	if want := []Window{{0, 20}, {30, 40}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestWithin(t *testing.T) {
	list := []Window{{10, 20}, {30, 40}}
	check(t, []border{
		{"it begins as the time ends", within(list, 21, 30), true}, {"1 ns later", within(list, 21, 29), false}, {"it ends as the time begins", within(list, 20, 21), true},
	})
}

// TestHeard: what an answer tells of the connection of its client.
func TestHeard(t *testing.T) {
	after := func(f history.F, answer history.Type) (s Sound, ok bool) {
		c := Connections{1: {Process: 1, Since: 5}}
		c.heard(1, &history.Op{Process: 1, F: f, Time: 10}, &history.Op{Type: answer})
		s, ok = c[1]
		return s, ok
	}
	for _, tt := range []struct {
		f      history.F
		answer history.Type
		want   Sound
		ok     bool
	}{
		{history.Try, history.OK, Sound{1, 10, false}, true},
		{history.Try, history.Fail, Sound{1, 5, true}, true},
		{history.Acquire, history.Fail, Sound{1, 5, true}, true},
		{history.Renew, history.Fail, Sound{}, false},
		{history.Try, history.Info, Sound{}, false},
	} {
		if s, ok := after(tt.f, tt.answer); s != tt.want || ok != tt.ok {
			t.Errorf("%v that ended %v: %v, %v", tt.f, tt.answer, s, ok)
		}
	}
}

// TestIdle: a client is idle while it is stopped, or while a message of it is kept back if
// that counts.
func TestIdle(t *testing.T) {
	s := emptySurveyor(t, Options{})
	s.Faults = []*Fault{
		{Op: &history.Op{Client: 1}, Traits: history.FaultTraits{Effect: history.Held}, From: 10, To: 20},
		{Op: &history.Op{Client: 1}, Traits: history.FaultTraits{Effect: history.Stopped}, From: 30, To: 35},
	}
	s.Stalls = []Window{{50, 57}, {100, 110}}
	check(t, []border{
		{"stopped, and a stall", s.Idle(1, 0, 100, false), int64(12)}, {"messages count too", s.Idle(1, 0, 100, true), int64(22)},
		{"another client", s.Idle(2, 0, 100, true), int64(7)}, {"stalls that have begun", len(s.stallsIn(0, 100)), 1}, {"1 ns more", len(s.stallsIn(0, 101)), 2},
	})
}

// TestFaultTraits: what a fault has declared counts for all of its kind, whatever its heal
// says.
func TestFaultTraits(t *testing.T) {
	s := emptySurveyor(t, Options{})
	s.addFault(&history.Op{F: history.Fault, Key: "odd", Fault: 1, Traits: &history.FaultTraits{Effect: history.Held}})
	s.addFault(&history.Op{F: history.Heal, Key: "odd", Fault: 1, Traits: &history.FaultTraits{Effect: history.Stopped}})
	held := &Fault{Op: &history.Op{Client: 1}, Traits: s.Declared["odd"]}
	s.Prepared = []Window{{100, 200}}
	check(t, []border{
		{"declared", s.Declared["odd"].Effect, history.Held}, {"its message", held.holds(1), true}, {"another's", held.holds(2), false},
		{"prepared as the time ended", s.DisturbedServers(50, 100), true}, {"1 ns later", s.DisturbedServers(300, 400), false},
	})
}

// TestUsuallyTold: the 99th of a hundred answers.
func TestUsuallyTold(t *testing.T) {
	s := emptySurveyor(t, Options{})
	s.UsualTrip = 0
	for i := range int64(100) {
		s.told.Add(1000 + i)
	}
	check(t, []border{{"the longest usual", s.usuallyTold(), int64(1099)}})
}

// TestSample: beyond so many durations quantiles are told by bins, and the greatest exactly.
func TestSample(t *testing.T) {
	var s Sample
	for range exactSamples {
		s.Add(1)
	}
	check(t, []border{{"exact", s.bins == nil, true}})
	s.Add(2 * longestTold)
	check(t, []border{{"bins", s.bins == nil, false}, {"the greatest", s.Rank(exactSamples), 2 * longestTold}})
}

// TestPrompt: a wait of 100 ms and a retry, not counted what the machine stalled, is long for
// a lock that answers at once.
func TestPrompt(t *testing.T) {
	v := emptyFold(t, Options{Retry: 50 * time.Millisecond})
	v.Stalls = []Window{{10, 10 + int64(time.Millisecond)}}
	prompt := func(tellsIn, served, end int64) bool {
		v.tellsIn = tellsIn
		return v.prompt(&Call{Inv: &history.Op{F: history.Acquire}, Client: 1, served: served, End: end})
	}
	const long = int64(151 * time.Millisecond)
	check(t, []border{
		{"so long", prompt(0, 0, long), false}, {"1 ns more", prompt(0, 0, long+1), true},
		{"served after its call", prompt(0, 1, long+1), false}, {"nothing is known of the lock", prompt(-1, 0, long+1), false},
	})
}
