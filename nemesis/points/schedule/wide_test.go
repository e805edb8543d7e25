package schedule_test

import (
	"testing"
	"time"

	"locktorture/nemesis/points/schedule"
)

// Times get room, in their own direction and within their limits; what is not given stays so.
func TestWide(t *testing.T) {
	const text = `at c1 gate read #1: clock nodes=3 by=-500ms for=10ms
at c1 send SET redis-1 #1: hold for=1h0m0s
at c1 send SET redis-1 #1: drop
`
	s, err := schedule.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	const want = `at c1 gate read #1: clock nodes=3 by=-650ms for=62ms
at c1 send SET redis-1 #1: hold for=1h0m0s
at c1 send SET redis-1 #1: drop
`
	if got := s.Wide().String(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if s.String() != text {
		t.Errorf("the schedule itself has changed: %s", s)
	}
}

// Where servers are struck times are longer, and a machine takes its own to start them again.
func TestSlow(t *testing.T) {
	s, err := schedule.Parse("at c1 gate read #1: restart nodes=1,2 for=10ms\nat c1 gate read #1: clock nodes=3 by=-500ms for=30m\n")
	if err != nil {
		t.Fatal(err)
	}
	if s.Stretch() != 4 || s[:0].Stretch() != 1 {
		t.Errorf("stretched by %d, without faults by %d", s.Stretch(), s[:0].Stretch())
	}
	const want = "at c1 gate read #1: restart nodes=1,2 for=40ms\nat c1 gate read #1: clock nodes=3 by=-2s for=1h0m0s\n"
	if got := s.Slow(4).String(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := s.Wide().Started()[0].For; got != 60*time.Millisecond {
		t.Errorf("two servers are away for %v, want 60 ms", got)
	}
}
