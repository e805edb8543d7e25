package schedule_test

import (
	"testing"

	"locktorture/simulate/schedule"
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
