package workloads_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"locktorture/workloads"
)

// A deepStore notes how deep in its lock each operation is done.
type deepStore struct {
	value         string
	depth         int
	reads, writes []int
}

func (s *deepStore) Read(context.Context, string) (string, error) {
	s.reads = append(s.reads, s.depth)
	return s.value, nil
}

func (s *deepStore) Write(_ context.Context, _, value string) error {
	s.writes = append(s.writes, s.depth)
	s.value = value
	return nil
}

func (s *deepStore) Reenter(_ context.Context, _ string, body func() error) error {
	s.depth++
	defer func() { s.depth-- }()
	return body()
}

// TestReentryWorksInside: half of the sections work, and so write, in the innermost section, and
// half of them in the outermost, once all inner entries are given back. All do something in both.
func TestReentryWorksInside(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const sections = 1000
	inside, deepest := 0, map[int]int{}
	for range sections {
		s := &deepStore{value: "7"}
		section := workloads.Reentry{}.Next(r, 0)
		if err := section.Run(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		if len(s.writes) != 1 || s.value != "8" || s.depth != 0 {
			t.Fatalf("writes at depths %v, the counter is %s after 7, depth %d at the end", s.writes, s.value, s.depth)
		}
		depth := s.reads[0]
		deepest[depth]++
		switch {
		case s.writes[0] == depth && len(s.reads) == 2 && s.reads[1] == 0:
			inside++
		case s.writes[0] != 0 || len(s.reads) != 1:
			t.Errorf("reads at depths %v, writes at %v", s.reads, s.writes)
		}
	}
	if inside < sections*4/10 || inside > sections*6/10 {
		t.Errorf("%d of %d sections work in the innermost", inside, sections)
	}
	if len(deepest) != 3 || deepest[1] == 0 || deepest[2] == 0 || deepest[3] == 0 {
		t.Errorf("depths %v, want 1 to 3", deepest)
	}
}
