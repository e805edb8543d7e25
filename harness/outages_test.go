package harness

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"locktorture/history"
	"locktorture/nemesis"
)

// aServer is a node that only has a name.
type aServer struct{}

func (aServer) Name() string { return "n1" }

// TestOutagesOfServers: how the answers to looks come, and what is recorded of the server, also by a
// harness that gets no tick because the machine is busy.
func TestOutagesOfServers(t *testing.T) {
	silent := 2 * noAnswer
	for _, tt := range []struct {
		name    string
		starved bool
		answers []time.Duration // to the looks; negative: an error, at once
		want    []string        // entries of the history
	}{
		{"timely", false, []time.Duration{0, slowAnswer - 2*lookTick, 0}, nil},
		{"one late answer", false, []time.Duration{0, slowAnswer + lookTick, 0}, []string{"fault no answer", "heal"}},
		{"an error, and good again", false, []time.Duration{-1, 0}, []string{"fault broken", "heal"}},
		{"silent", false, []time.Duration{silent, 0}, []string{"fault no answer", "heal"}},
		{"starved, one late answer", true, []time.Duration{300 * time.Millisecond, 0}, nil},
		{"starved, two late answers, twice", true, []time.Duration{silent, 300 * time.Millisecond, 0, silent, silent, 0}, nil},
		{"starved, an error", true, []time.Duration{-1}, []string{"fault broken"}},
		{"starved, silent", true, []time.Duration{silent, silent, silent, silent, 0}, []string{"fault no answer", "heal"}},
		{"starved, slow, and not good again before it is fast", true, []time.Duration{600 * time.Millisecond, 600 * time.Millisecond, 600 * time.Millisecond, 600 * time.Millisecond, 0},
			[]string{"fault round trip of 600ms", "heal"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var got []string
				start := time.Now()
				r, err := New(Config{Clients: 1, Fencing: FencingOff, World: &nemesis.World{Nodes: []nemesis.Node{aServer{}}},
					Now: func() int64 { return time.Since(start).Nanoseconds() },
					Record: func(op history.Op) (history.Op, error) {
						entry := string(op.F)
						if op.F == history.Fault {
							entry += " " + op.Value
						}
						got = append(got, entry)
						return op, nil
					}})
				if err != nil {
					t.Fatal(err)
				}
				answers := tt.answers
				o := &outlook{run: r, tick: lookTick, look: func(ctx context.Context) error {
					d := answers[0]
					answers = answers[1:]
					if d < 0 {
						return errors.New("broken")
					}
					if sleep(ctx, d); ctx.Err() != nil {
						return errors.New(unanswered)
					}
					return nil
				}}
				if tt.starved {
					o.tick = time.Hour
				}
				for len(answers) > 0 {
					o.once(t.Context())
				}
				if !slices.Equal(got, tt.want) {
					t.Errorf("recorded %q, want %q", got, tt.want)
				}
			})
		})
	}
}
