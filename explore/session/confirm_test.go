package session

import (
	"maps"
	"testing"

	"github.com/spf13/pflag"

	"locktorture/explore/kept"
	"locktorture/report"
)

// The rounds open a lock of torture with the options of its run. A lock of the user's has them in
// its order.
func TestTakeOptions(t *testing.T) {
	shrunk := report.Run{Backend: "mine", Clients: 2, Flags: []report.Flag{{Name: "option", Value: "session=kept"}}}
	for _, c := range []struct {
		own  *kept.Lock
		want map[string]string
	}{{nil, map[string]string{"session": "kept"}}, {&kept.Lock{}, nil}} {
		s, cmd := NewConfirm(""), flags{pflag.NewFlagSet("confirm", pflag.ContinueOnError)}
		s.own = c.own
		if err := s.take(cmd, shrunk); err != nil || !maps.Equal(s.run.Options, c.want) {
			t.Errorf("own lock %v: %v, %v", c.own != nil, s.run.Options, err)
		}
	}
}
