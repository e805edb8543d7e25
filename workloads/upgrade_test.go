package workloads_test

import (
	"context"
	"math/rand/v2"
	"strconv"
	"testing"

	"locktorture/workloads"
)

// A changingStore is one whose reader may become the writer, unless it is refused.
type changingStore struct {
	state   map[string]string
	has     bool
	refuses bool
	writer  bool
	changes int
}

func (s *changingStore) Read(_ context.Context, key string) (string, error) { return s.state[key], nil }

func (s *changingStore) Write(_ context.Context, key, value string) error {
	if s.writer {
		s.changes++
	}
	s.state[key] = value
	return nil
}

func (s *changingStore) Upgrades() bool { return s.has }

func (s *changingStore) Upgrade(context.Context) (bool, error) {
	s.writer = !s.refuses
	return s.writer, nil
}

func (s *changingStore) Downgrade(context.Context) error {
	s.writer = false
	return nil
}

// Where the lock has upgrades one reader in four writes the next version as the writer, and is
// a reader again; one that is refused writes nothing.
func TestDocumentUpgrades(t *testing.T) {
	for name, tt := range map[string]struct {
		store *changingStore
		most  int
	}{
		"upgrades":    {&changingStore{has: true}, 250},
		"refused":     {&changingStore{has: true, refuses: true}, 0},
		"no upgrades": {&changingStore{}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s, r, writers := tt.store, rand.New(rand.NewPCG(1, 1)), 0
			s.state = map[string]string{}
			if err := (workloads.Document{}).Init(t.Context(), s); err != nil {
				t.Fatal(err)
			}
			for range 400 {
				section := workloads.Document{}.Next(r, 1)
				if err := section.Run(t.Context(), s); err != nil {
					t.Fatal(err)
				}
				if !section.Shared {
					writers++
				}
				if want := strconv.Itoa(writers + s.changes/2); s.writer || s.state[workloads.PageKey("document", 1)] != want {
					t.Fatalf("version %s, want %s; writer: %t", s.state[workloads.PageKey("document", 1)], want, s.writer)
				}
			}
			if s.changes > tt.most || tt.most > 0 && s.changes < 80 {
				t.Errorf("%d writes of readers that became the writer", s.changes)
			}
		})
	}
}
