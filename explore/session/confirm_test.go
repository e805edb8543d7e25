package session

import (
	"testing"

	"github.com/spf13/pflag"

	"locktorture/explore/kept"
	"locktorture/report"
)

// Real servers give a lock of torture no options. A lock of the user's brings its own.
func TestTakeOptions(t *testing.T) {
	shrunk := report.Run{Backend: "mine", Clients: 2, Flags: []report.Flag{{Name: "option", Value: "lock=hasty"}}}
	for _, c := range []struct {
		own   *kept.Lock
		taken bool
	}{{nil, false}, {&kept.Lock{}, true}} {
		s, cmd := NewConfirm(""), flags{pflag.NewFlagSet("confirm", pflag.ContinueOnError)}
		s.own = c.own
		if err := s.take(cmd, shrunk); (err == nil) != c.taken {
			t.Errorf("own lock %v: %v", c.own != nil, err)
		}
	}
}
