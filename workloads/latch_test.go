package workloads_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"locktorture/workloads"
)

// A latchStore is a store with latches, for many at a time. It loses the answer to every third
// count-down.
type latchStore struct {
	mu      sync.Mutex
	values  map[string]string
	counted map[string]map[string]bool // latch → parties
	opened  map[string]chan struct{}
	asked   int
	missing []string // keys that were read before they were written
}

func (s *latchStore) Read(_ context.Context, key string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.values[key]
	if !ok && strings.Contains(key, "/part/") {
		s.missing = append(s.missing, key)
	}
	return v, nil
}

func (s *latchStore) Write(_ context.Context, key, value string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.values[key] = value
	return nil
}

func (s *latchStore) made() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.counted)
}

func (s *latchStore) SetCount(_ context.Context, l workloads.Latch) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.counted[l.Name()] == nil {
		s.counted[l.Name()], s.opened[l.Name()] = map[string]bool{}, make(chan struct{})
	}
	return nil
}

func (s *latchStore) CountDown(_ context.Context, l workloads.Latch, party string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	parties := s.counted[l.Name()]
	if parties == nil {
		return fmt.Errorf("latch %s was counted down before it was made", l.Name())
	}
	if len(parties) < l.Count {
		if parties[party] = true; len(parties) == l.Count {
			close(s.opened[l.Name()])
		}
	}
	if s.asked++; s.asked%3 == 0 {
		return workloads.ErrUnanswered
	}
	return nil
}

func (s *latchStore) Await(ctx context.Context, l workloads.Latch) error {
	s.mu.Lock()
	open := s.opened[l.Name()]
	s.mu.Unlock()
	if open == nil {
		return fmt.Errorf("latch %s was waited for before it was made", l.Name())
	}
	select {
	case <-open:
		return nil
	case <-ctx.Done():
		return workloads.ErrGone
	}
}

// Clients of one run go through the same latches, and whoever has passed finds what was to be
// there.
func TestLatchRounds(t *testing.T) {
	const clients, latches = 4, 40
	config := workloads.Config{Clients: clients}
	for _, tt := range []struct {
		name, lock string
		w          workloads.Workload
		parties    int
	}{
		{"start-gate", "start-gate", workloads.NewStartGate(config), 2},
		{"fan-in", "fan-in", workloads.NewFanIn(config), clients},
		{"a start gate that cannot count", "start-gate", workloads.NewStartGate(workloads.Config{Clients: clients, Single: true}), 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			name, w := tt.lock, tt.w
			s := &latchStore{values: map[string]string{}, counted: map[string]map[string]bool{}, opened: map[string]chan struct{}{}}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var group sync.WaitGroup
			for n := range clients {
				group.Go(func() {
					r := rand.New(rand.NewPCG(1, uint64(n)))
					for i := 0; ctx.Err() == nil; i++ { // process numbers of one client
						section := w.Next(r, n+i*clients)
						if !section.Unheld || len(section.Locks) != 1 || section.Locks[0] != name {
							t.Errorf("%+v", section)
						}
						err := section.Run(ctx, s)
						if err != nil && !errors.Is(err, workloads.ErrUnanswered) && !errors.Is(err, workloads.ErrGone) {
							t.Error(err)
						}
						if s.made() >= latches {
							cancel()
						}
					}
				})
			}
			group.Wait()
			if len(s.missing) > 0 {
				t.Errorf("read before they were written: %v", s.missing[:1])
			}
			for latch, parties := range s.counted {
				if len(parties) > tt.parties {
					t.Errorf("%s was counted down by %d, want at most %d", latch, len(parties), tt.parties)
				}
			}
		})
	}
}

// A client says that it comes before it enters, and inside it looks at all others, and at
// itself never.
func TestPhases(t *testing.T) {
	s := &latchStore{values: map[string]string{}}
	w := workloads.NewPhases(workloads.Config{Clients: 3})
	if err := w.Init(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	section := w.Next(rand.New(rand.NewPCG(1, 1)), 4) // client 2
	if section.Parties != 3 || section.Unheld || section.Before == nil {
		t.Fatalf("%+v", section)
	}
	for n := 1; n <= 2; n++ {
		if err := errors.Join(section.Before(t.Context(), s), section.Run(t.Context(), s)); err != nil {
			t.Fatal(err)
		}
		for key, want := range map[string]int{"phases/come/1": 0, "phases/come/2": n, "phases/come/3": 0, "phases/done/2": n} {
			if got := s.values[key]; got != fmt.Sprint(want) {
				t.Errorf("%s holds %q, want %d", key, got, want)
			}
		}
	}
}
