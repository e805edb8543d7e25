package workloads_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktorture/workloads"
)

// A trial is a workload under test with its invariant, told independently of
// the checkers: ok gets the state before a write, and the write.
type trial struct {
	name     string
	workload workloads.Workload
	breaks   int // the operation before which a whole other section does harm: after the first read that decides
	ok       func(state map[string]string, key, value string) error
}

func trials() []trial {
	const units = 3
	config := workloads.Config{Locks: []string{"a", "b"}}
	return []trial{
		{"counter", workloads.Counter{Config: config}, 1, countsByOne},
		{"seckill", workloads.Seckill{Config: config, Units: units, Users: 5}, 2, sellsOnce(units)},
		{"statemachine", workloads.StateMachine{Config: config}, 2, stepsOnce},
		{"idempotent-submit", workloads.IdempotentSubmit{Config: config}, 2, writtenOnce("request")},
		{"scheduler", workloads.Scheduler{Config: config}, 2, writtenOnce("run")},
		{"cache-rebuild", workloads.CacheRebuild{Config: config}, 2, writtenOnce("cache")},
		{"id-allocation", workloads.IDAllocation{Config: config}, 1, oneHolder},
		{"config-rollout", workloads.ConfigRollout{Config: config}, 2, growsByOne},
		{"file-append", workloads.FileAppend{Config: config}, 1, wholeRecords},
		{"leader", workloads.Leader{Config: config}, 1, onlyTheLeaderActs},
		{"session", workloads.Session{Config: config}, 1, oneFieldChanges},
		{"queue-consumer", workloads.QueueConsumer{Config: config}, 2, handledInOrder},
		{"transfer", workloads.Transfer{Config: config}, 2, totalIsConstant},
		{"reentry", workloads.Reentry{Config: config}, 1, countsByOne},
		{"pool", workloads.Pool{Config: config}, 1, inOneHand},
	}
}

func countsByOne(state map[string]string, key, value string) error {
	if n, _ := strconv.Atoi(state[key]); state[key] != "" && value != strconv.Itoa(n+1) {
		return fmt.Errorf("%s: %s written over %d", key, value, n)
	}
	return nil
}

func sellsOnce(units int) func(map[string]string, string, string) error {
	return func(state map[string]string, key, value string) error {
		lock, rest, _ := strings.Cut(key, "/")
		kind, sale, _ := strings.Cut(rest, "/")
		if kind == "order" && state[key] != "" {
			return fmt.Errorf("double order: %s: %s over %s", key, value, state[key])
		}
		sale, _, _ = strings.Cut(sale, "/")
		after := map[string]string{key: value}
		for k, v := range state {
			if _, written := after[k]; !written {
				after[k] = v
			}
		}
		sold := 0
		for k := range after {
			if strings.HasPrefix(k, lock+"/order/"+sale+"/") {
				sold++
			}
		}
		left, _ := strconv.Atoi(after[lock+"/stock/"+sale])
		if kind != "sale" && (left < 0 || sold+left > units) {
			return fmt.Errorf("oversold: %s := %s: sold %d, left %d of %d", key, value, sold, left, units)
		}
		return nil
	}
}

func stepsOnce(state map[string]string, key, value string) error {
	_, rest, _ := strings.Cut(key, "/")
	if !strings.HasPrefix(rest, "order/") {
		return nil
	}
	// A section cut between the two writes of a new order writes it again.
	legal := value == workloads.Created && (state[key] == "" || state[key] == workloads.Created)
	if !legal && workloads.NextState(state[key]) != value {
		return fmt.Errorf("%s: %q → %q", key, state[key], value)
	}
	return nil
}

// errCut ends a section early.
var errCut = errors.New("cut")

// A spyStore is a store that checks the invariant at every write, gives up
// before operation number cut, and runs other before operation number at.
type spyStore struct {
	t     *testing.T
	trial trial
	state map[string]string
	ops   int
	cut   int // -1: never
	at    int // -1: never
	other func()
	broke *error
}

func (s *spyStore) next() error {
	n := s.ops
	s.ops++
	if n == s.cut {
		return errCut
	}
	if n == s.at {
		s.other()
	}
	return nil
}

func (s *spyStore) Read(_ context.Context, key string) (string, error) {
	if err := s.next(); err != nil {
		return "", err
	}
	return s.state[key], nil
}

func (s *spyStore) Write(_ context.Context, key, value string) error {
	if err := s.next(); err != nil {
		return err
	}
	if err := s.trial.ok(s.state, key, value); err != nil && *s.broke == nil {
		*s.broke = err
	}
	s.state[key] = value
	return nil
}

// start returns an initialised store that never cuts.
func start(t *testing.T, tr trial) *spyStore {
	t.Helper()
	s := &spyStore{t: t, trial: tr, state: map[string]string{}, cut: -1, at: -1, broke: new(error)}
	if err := tr.workload.Init(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if *s.broke != nil {
		t.Fatalf("init: %v", *s.broke)
	}
	return s
}

// run runs one section with the cut and the interruption of s, from its first operation.
func (s *spyStore) run(section workloads.Section, cut, at int, other func()) {
	s.t.Helper()
	spy := *s
	spy.ops, spy.cut, spy.at, spy.other = 0, cut, at, other
	if err := section.Run(s.t.Context(), &spy); err != nil && !errors.Is(err, errCut) {
		s.t.Fatal(err)
	}
}

// One section after another, each cut after any number of operations, keeps
// the invariant.
func TestSequentialSectionsKeepTheInvariant(t *testing.T) {
	for _, tr := range trials() {
		t.Run(tr.name, func(t *testing.T) {
			for seed := range uint64(20) {
				r := rand.New(rand.NewPCG(seed, 1))
				s := start(t, tr)
				for i := range 400 {
					s.run(tr.workload.Next(r, 1), r.IntN(12)-1, -1, nil)
					if *s.broke != nil {
						t.Fatalf("seed %d, section %d: %v", seed, i, *s.broke)
					}
				}
			}
		})
	}
}

// Two sections at the same time break it: one runs in full before operation
// number at of the other. Only before the first operation is that harmless.
func TestInterleavedSectionsBreakTheInvariant(t *testing.T) {
	for _, tr := range trials() {
		t.Run(tr.name, func(t *testing.T) {
			for _, at := range []int{0, 1, 2, 3} {
				broke := 0
				for seed := range uint64(50) {
					r := rand.New(rand.NewPCG(seed, 2))
					s := start(t, tr)
					for range 60 {
						other := tr.workload.Next(r, 2)
						s.run(tr.workload.Next(r, 1), -1, at, func() { s.run(other, -1, -1, nil) })
					}
					if *s.broke != nil {
						broke++
					}
				}
				t.Logf("interrupted before operation %d: broken with %d of 50 seeds", at, broke)
				if at == 0 && broke > 0 {
					t.Errorf("broken %d times although nothing overlapped", broke)
				}
				if at == tr.breaks && broke < 40 {
					t.Errorf("broken only %d times", broke)
				}
			}
		})
	}
}

// The same seed gives the same sections: locks, times, and what they write.
func TestNextDrawsOnlyOnTheSeed(t *testing.T) {
	for _, tr := range trials() {
		t.Run(tr.name, func(t *testing.T) {
			work := func(seed uint64) (log []string) {
				r := rand.New(rand.NewPCG(seed, 3))
				s := start(t, tr)
				for range 100 {
					section := tr.workload.Next(r, 7)
					s.run(section, -1, -1, nil)
					log = append(log, fmt.Sprint(section.Locks, section.Hold, section.Think, section.Try, s.state))
				}
				return log
			}
			if diff := cmp.Diff(work(1), work(1)); diff != "" {
				t.Errorf("the same seed, other work:\n%s", diff)
			}
			if cmp.Equal(work(1), work(2)) {
				t.Error("another seed, the same work")
			}
		})
	}
}

func TestZeroConfig(t *testing.T) {
	for name, w := range map[string]workloads.Workload{
		"counter": workloads.Counter{}, "seckill": workloads.Seckill{}, "statemachine": workloads.StateMachine{},
		"submit": workloads.IdempotentSubmit{}, "cache": workloads.CacheRebuild{}, "ids": workloads.IDAllocation{},
		"config": workloads.ConfigRollout{}, "file": workloads.FileAppend{}, "leader": workloads.Leader{},
		"session": workloads.Session{}, "queue": workloads.QueueConsumer{}, "register": workloads.Register{}, "reentry": workloads.Reentry{},
	} {
		r := rand.New(rand.NewPCG(1, 1))
		for range 100 {
			s := w.Next(r, 1)
			if diff := cmp.Diff([]string{name}, s.Locks); diff != "" {
				t.Fatal(diff)
			}
			if s.Hold < 2e6 || s.Hold > 5e6 || s.Think != 1e6 || s.Try {
				t.Fatalf("%s: hold %v, think %v, try %v", name, s.Hold, s.Think, s.Try)
			}
		}
	}
}

func TestBadValuesAreNamed(t *testing.T) {
	tests := []struct {
		name     string
		workload workloads.Workload
		state    map[string]string
		want     []string // in the error
	}{
		{"no number", workloads.Counter{}, map[string]string{"counter/counter": "many"}, []string{"counter/counter", `"many"`}},
		{"never written", workloads.Counter{}, map[string]string{}, []string{"counter/counter", `""`}},
		{"stock", workloads.Seckill{}, map[string]string{"seckill/sale": "4", "seckill/stock/4": "1.5"}, []string{"seckill/stock/4", `"1.5"`}},
		{"no number of a worker", workloads.IDAllocation{Workers: 1}, map[string]string{"ids/worker/0": "many p1"}, []string{"ids/worker/0", `"many p1"`}},
		{"no document", workloads.Session{}, map[string]string{"session/document": "{"}, []string{"session/document", `"{"`}},
		{"no tick", workloads.Scheduler{}, map[string]string{"scheduler/tick": "noon", "scheduler/run/noon": "p1"}, []string{"scheduler/tick", `"noon"`}},
		{"unknown state", workloads.StateMachine{}, map[string]string{"statemachine/current": "2", "statemachine/order/2": "lost"}, []string{"statemachine/order/2", `"lost"`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &spyStore{t: t, state: tt.state, cut: -1, at: -1, broke: new(error)}
			err := tt.workload.Next(rand.New(rand.NewPCG(1, 1)), 1).Run(t.Context(), s)
			for _, part := range tt.want {
				if err == nil || !strings.Contains(err.Error(), part) {
					t.Errorf("error %v does not name %s", err, part)
				}
			}
		})
	}
}
