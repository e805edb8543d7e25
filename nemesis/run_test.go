package nemesis_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"locktorture/nemesis"
)

// A diary notes what happens, with the time since it was begun.
type diary struct {
	mu    sync.Mutex
	start time.Time
	lines []string
}

func (d *diary) note(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, fmt.Sprintf("%v ", time.Since(d.start))+fmt.Sprintf(format, args...))
}

func (d *diary) events() nemesis.Events {
	return nemesis.Events{
		Began:     func(nemesis.Step) {},
		Struck:    func(s nemesis.Step, seen string) { d.note("struck %d %s", s.N, seen) },
		NotStruck: func(s nemesis.Step, err error) { d.note("not struck %d: %v", s.N, err) },
		Healed:    func(s nemesis.Step) { d.note("healed %d", s.N) },
	}
}

// A fake fault strikes after a while, or fails.
type fake struct {
	takes    time.Duration // to strike
	inject   error
	heal     error
	healed   func(ctx context.Context) // may be nil
	stubborn bool                      // strikes even though the run ends
	whole    bool                      // leaves nothing to heal
}

func (fake) Traits() nemesis.Traits                              { return nemesis.Traits{} }
func (fake) Supports(*nemesis.World) error                       { return nil }
func (fake) Plan(*nemesis.Draw, *nemesis.World) (s nemesis.Step) { return s }
func (f fake) Inject(ctx context.Context, _ *nemesis.World, s nemesis.Step) (string, func(context.Context) error, error) {
	select {
	case <-time.After(f.takes):
	case <-ctx.Done():
		if !f.stubborn {
			return "", nil, ctx.Err()
		}
	}
	heal := func(ctx context.Context) error {
		if f.healed != nil {
			f.healed(ctx)
		}
		return f.heal
	}
	if f.whole {
		heal = nil
	}
	return "seen", heal, f.inject
}

// A fakeClientFault runs in the other lane.
type fakeClientFault struct{ fake }

func (fakeClientFault) Traits() nemesis.Traits { return nemesis.Traits{StrikesClients: true} }

// execute runs steps inside a bubble with a time of its own.
func execute(ctx context.Context, steps []nemesis.Step, kinds nemesis.Kinds) (*diary, error) {
	d := &diary{start: time.Now()}
	err := nemesis.Execute(ctx, &nemesis.World{TTL: time.Second}, steps, kinds, d.events())
	return d, err
}

const ms = time.Millisecond

func TestExecuteRunsTheLanes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kinds := nemesis.Kinds{"server": fake{takes: 10 * ms}, "client": fakeClientFault{fake{takes: 5 * ms}}}
		d, err := execute(t.Context(), []nemesis.Step{
			{N: 1, At: 100 * ms, For: 500 * ms, Fault: "server", Nodes: []int{0}},
			{N: 2, At: 200 * ms, For: 100 * ms, Fault: "client", Clients: []int{1}}, // beside 1
			{N: 3, At: 650 * ms, For: 10 * ms, Fault: "server", Nodes: []int{1}},    // too soon after 1
			{N: 4, At: 2 * time.Second, Fault: "client", Clients: []int{2}},
		}, kinds)
		if err != nil {
			t.Fatal(err)
		}
		want := []string{
			"110ms struck 1 seen", "205ms struck 2 seen", "305ms healed 2", "610ms healed 1",
			"720ms struck 3 seen", "730ms healed 3", "2.005s struck 4 seen", "2.005s healed 4",
		}
		if diff := cmp.Diff(want, d.lines); diff != "" {
			t.Error(diff)
		}
	})
}

// Two lanes never strike one target at the same time, whatever the schedule says.
func TestExecuteSparesABusyTarget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kinds := nemesis.Kinds{"server": fake{}, "client": fakeClientFault{}}
		d, err := execute(t.Context(), []nemesis.Step{
			{N: 1, At: 100 * ms, For: 500 * ms, Fault: "server", Nodes: []int{0, 1}},
			{N: 2, At: 200 * ms, For: 100 * ms, Fault: "client", Nodes: []int{1}, Clients: []int{1}},
		}, kinds)
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"100ms struck 1 seen", "600ms healed 1", "600ms struck 2 seen", "700ms healed 2"}
		if diff := cmp.Diff(want, d.lines); diff != "" {
			t.Error(diff)
		}
	})
}

// The end of the run heals what is in place, with a context that is alive.
func TestExecuteHealsWhenItIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 300*ms)
		defer cancel()
		var healed atomic.Int32
		look := func(ctx context.Context) {
			healed.Add(1)
			if ctx.Err() != nil {
				t.Errorf("healed with a dead context: %v", ctx.Err())
			}
			if _, ok := ctx.Deadline(); !ok {
				t.Error("healed without a limit")
			}
		}
		kinds := nemesis.Kinds{
			"server": fake{healed: look},
			"client": fakeClientFault{fake{takes: time.Second, stubborn: true, healed: look}},
		}
		d, err := execute(ctx, []nemesis.Step{
			{N: 1, At: 100 * ms, For: time.Hour, Fault: "server", Nodes: []int{0}},
			{N: 2, At: 200 * ms, For: time.Hour, Fault: "client", Clients: []int{1}}, // struck by its own inject, at the very end
			{N: 3, At: 250 * ms, For: time.Hour, Fault: "server", Nodes: []int{2}},
		}, kinds)
		if err != nil || healed.Load() != 2 {
			t.Errorf("error %v, healed %d of 2: %v", err, healed.Load(), d.lines)
		}
	})
}

// A fault that leaves nothing to heal has no heal. Its end is told all the same, and the lane
// goes on.
func TestExecuteWithoutHeal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, err := execute(t.Context(), []nemesis.Step{
			{N: 1, At: 100 * ms, For: 50 * ms, Fault: "whole"},
			{N: 2, At: 400 * ms, Fault: "whole"},
		}, nemesis.Kinds{"whole": fake{whole: true}})
		want := []string{"100ms struck 1 seen", "150ms healed 1", "400ms struck 2 seen", "400ms healed 2"}
		if diff := cmp.Diff(want, d.lines); diff != "" || err != nil {
			t.Errorf("error %v, events:\n%s", err, diff)
		}
	})
}

func TestExecuteTellsFailuresApart(t *testing.T) {
	broken := errors.New("broken")
	steps := []nemesis.Step{{N: 1, At: 100 * ms, Fault: "f"}, {N: 2, At: 300 * ms, Fault: "f"}}
	tests := []struct {
		name  string
		fault fake
		lines int
		want  string // in the error; "": none
	}{
		{"no victim", fake{inject: fmt.Errorf("%w: nobody came", nemesis.ErrNotStruck)}, 2, ""},
		{"inject broken", fake{inject: broken}, 0, "fault 1, f: broken"},
		{"heal broken", fake{heal: broken}, 1, "heal fault 1, f: broken"},
		{"no victim and not undone", fake{inject: fmt.Errorf("%w: after %v", nemesis.ErrNotHealed, nemesis.ErrNotStruck)}, 0, "not undone"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, err := execute(t.Context(), steps, nemesis.Kinds{"f": tt.fault})
				if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
					t.Errorf("error %v, want %q", err, tt.want)
				}
				if len(d.lines) != tt.lines {
					t.Errorf("events %q", d.lines)
				}
			})
		})
	}
}

// A failure in one lane ends the other, which heals first.
func TestExecuteStopsBothLanes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kinds := nemesis.Kinds{"server": fake{}, "client": fakeClientFault{fake{heal: errors.New("broken")}}}
		d, err := execute(t.Context(), []nemesis.Step{
			{N: 1, At: 100 * ms, For: time.Hour, Fault: "server", Nodes: []int{0}},
			{N: 2, At: 200 * ms, For: 100 * ms, Fault: "client", Clients: []int{1}},
		}, kinds)
		want := []string{"100ms struck 1 seen", "200ms struck 2 seen", "300ms healed 1"}
		if diff := cmp.Diff(want, d.lines); diff != "" || err == nil {
			t.Errorf("error %v, events:\n%s", err, diff)
		}
	})
}

func TestExecuteRefusesUnknownFaults(t *testing.T) {
	_, err := execute(t.Context(), []nemesis.Step{{N: 1, Fault: "puase"}}, all())
	if err == nil || !strings.Contains(err.Error(), `there is no fault`) {
		t.Error(err)
	}
}
