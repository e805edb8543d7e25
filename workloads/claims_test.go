package workloads_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"locktorture/workloads"
)

// A document's writers hold it alone and count its versions, its readers hold it beside each
// other and write nothing.
func TestDocument(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	s := &spyStore{t: t, trial: trial{ok: func(map[string]string, string, string) error { return nil }}, state: map[string]string{}, cut: -1, at: -1, broke: new(error)}
	w := workloads.Document{}
	if err := w.Init(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	version, readers := 0, 0
	for range 400 {
		section := w.Next(r, 1)
		s.run(section, -1, -1, nil)
		if section.Shared {
			readers++
		} else {
			version++
		}
		for page := range 2 {
			if got := s.state[workloads.PageKey("document", page+1)]; got != strconv.Itoa(version) {
				t.Fatalf("page %d: %q, want %d", page+1, got, version)
			}
		}
	}
	if readers < 250 || readers > 350 {
		t.Errorf("%d of 400 sections read, want about three in four", readers)
	}
}

// A section of a rate takes one permit or two of three, and says when it begins and when it is
// done.
func TestRate(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	s := &spyStore{t: t, trial: trial{ok: func(map[string]string, string, string) error { return nil }}, state: map[string]string{}, cut: -1, at: -1, broke: new(error)}
	two := 0
	for range 400 {
		section := workloads.Rate{}.Next(r, 7)
		if section.Capacity != workloads.RateCapacity || section.Permits < 1 || section.Permits > 2 || section.Shared {
			t.Fatalf("%+v", section)
		}
		two += section.Permits - 1
		s.run(section, -1, -1, nil)
	}
	begun, done := 0, 0
	for key := range s.state {
		if strings.HasPrefix(key, "rate/begun/p7-") {
			begun++
		}
		if strings.HasPrefix(key, "rate/done/p7-") {
			done++
		}
	}
	for range 400 {
		if section := (workloads.Rate{Config: workloads.Config{Single: true}}).Next(r, 7); section.Permits != 1 {
			t.Fatalf("a section takes %d permits of a semaphore that gives them one at a time", section.Permits)
		}
	}
	if begun != 400 || done != 400 || two < 60 || two > 140 {
		t.Errorf("%d begun, %d done, %d of them with two permits; want 400, 400 and about a hundred", begun, done, two)
	}
}

// A controller counts the generation on and makes two to five changes in its name.
func TestController(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	s := &spyStore{t: t, trial: trial{ok: func(map[string]string, string, string) error { return nil }}, state: map[string]string{}, cut: -1, at: -1, broke: new(error)}
	w := workloads.Controller{}
	if err := w.Init(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= 100; n++ {
		s.run(w.Next(r, 1), -1, -1, nil)
		var of, k int
		if _, err := fmt.Sscanf(s.state[workloads.AppliedKey("controller")], "%d %d", &of, &k); err != nil || of != n || k < 2 || k > 5 {
			t.Fatalf("the last change of leader %d: %q, %v", n, s.state[workloads.AppliedKey("controller")], err)
		}
		if got := s.state[workloads.GenerationKey("controller")]; got != strconv.Itoa(n) {
			t.Fatalf("generation %s after %d leaders", got, n)
		}
	}
}

// A section of a pool takes a permit of the pool and then one of its three connections, which
// has one, and writes to nothing else. All connections are drawn.
func TestPool(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	s := &spyStore{t: t, trial: trial{ok: func(map[string]string, string, string) error { return nil }}, state: map[string]string{}, cut: -1, at: -1, broke: new(error)}
	w := workloads.Pool{}
	if err := w.Init(t.Context(), s); err != nil || s.state["pool/capacity"] != strconv.Itoa(workloads.PoolCapacity) {
		t.Fatalf("%v, %v", s.state, err)
	}
	drawn := map[string]int{}
	for range 300 {
		section := w.Next(r, 7)
		if section.Permits != 1 || len(section.Locks) != 2 || section.CapacityOf(section.Locks[0]) != workloads.PoolCapacity || section.CapacityOf(section.Locks[1]) != 1 {
			t.Fatalf("%+v", section)
		}
		drawn[section.Locks[1]]++
		s.run(section, -1, -1, nil)
		for _, key := range []string{workloads.TakenKey(section.Locks[1]), workloads.ReturnedKey(section.Locks[1])} {
			if s.state[key] != s.state[workloads.PoolDoneKey("pool")] || !strings.HasPrefix(s.state[key], "p7-") {
				t.Fatalf("%s: %q, done %q", key, s.state[key], s.state[workloads.PoolDoneKey("pool")])
			}
		}
	}
	for n := 1; n <= workloads.PoolConnections; n++ {
		if got := drawn[workloads.ConnectionLock("pool", n)]; got < 70 || got > 130 {
			t.Errorf("connection %d was drawn %d times of 300", n, got)
		}
	}
	if len(s.state) != 2+2*workloads.PoolConnections {
		t.Errorf("%d keys: %v", len(s.state), s.state)
	}
}
