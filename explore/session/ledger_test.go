package session

import (
	"testing"
	"time"

	"locktorture/simulate/inside"
	"locktorture/simulate/search"
)

// TestAsked: searches with the same flags belong together; the defaults are no flags.
func TestAsked(t *testing.T) {
	o := inside.Order{Clients: 3, TTL: 500 * time.Millisecond}
	for want, s := range map[string]Explore{
		"--clients 3 --ttl 500ms": {Kinds: KindNames(), Strategy: search.Usual},
		"--clients 3 --ttl 500ms --find double-grant,orphan --kinds clock,pause --strategy uniform": {
			Find: []string{"double-grant", "orphan"}, Kinds: []string{"clock", "pause"}, Strategy: "uniform",
		},
	} {
		if got := s.asked(o); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
