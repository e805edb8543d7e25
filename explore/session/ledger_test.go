package session

import (
	"testing"
	"time"

	"github.com/spf13/pflag"

	"locktorture/nemesis/points/schedule"
	"locktorture/simulate/inside"
	"locktorture/simulate/search"
)

// TestAsked: searches with the same flags belong together; the defaults are no flags.
func TestAsked(t *testing.T) {
	o := inside.Order{Clients: 3, TTL: 500 * time.Millisecond}
	flags := func(set ...string) *pflag.FlagSet {
		f := pflag.NewFlagSet("explore", pflag.ContinueOnError)
		new(Virtual).Register(f)
		if err := f.Parse(set); err != nil {
			t.Fatal(err)
		}
		return f
	}
	lock := Explore{Virtual: Virtual{Options: map[string]string{"session": "kept"}}, Kinds: namesOf(schedule.OnSingle()), Strategy: search.Usual}
	if got, want := lock.asked(o, flags("--hold", "5ms", "--careful=false")), "--clients 3 --ttl 500ms --option session=kept --careful=false --hold=5ms"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for want, s := range map[string]Explore{
		"--clients 3 --ttl 500ms": {Kinds: namesOf(schedule.OnSingle()), Strategy: search.Usual},
		"--clients 3 --ttl 500ms --find double-grant,orphan --kinds clock,pause --strategy uniform": {
			Find: []string{"double-grant", "orphan"}, Kinds: []string{"clock", "pause"}, Strategy: "uniform",
		},
	} {
		if got := s.asked(o, flags()); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
