package nemesis_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"locktorture/nemesis"
)

// A caller comes into a section at some time of the bubble, or never, and waits for a lock from
// some time on, or never.
type caller struct {
	nemesis.Client
	name  string
	comes time.Time // zero: never
	waits time.Time // zero: never
	diary *diary
	kept  bool
}

func (c *caller) Meet(ctx context.Context, bound time.Duration) (string, func(), error) {
	return c.keptAt(ctx, "at a write", c.comes, bound)
}

func (c *caller) MeetWaiting(ctx context.Context, bound time.Duration) (string, func(), error) {
	return c.keptAt(ctx, "waiting", c.waits, bound)
}

// keptAt keeps the client at a place that it comes to at some time.
func (c *caller) keptAt(ctx context.Context, place string, comes time.Time, bound time.Duration) (string, func(), error) {
	wait := bound
	here := !comes.IsZero() && time.Until(comes) <= bound
	if here {
		wait = time.Until(comes)
	}
	select {
	case <-time.After(wait):
	case <-ctx.Done():
		return "", nil, ctx.Err()
	}
	if !here {
		return "", nil, fmt.Errorf("%w: %s", nemesis.ErrNotStruck, c.name)
	}
	c.kept = true
	return c.name + " " + place, func() { c.kept = false }, nil
}

func (c *caller) Pause(context.Context) (string, func(context.Context) error, error) {
	c.diary.note("stop %s, kept %t", c.name, c.kept)
	return c.name + " somewhere", func(context.Context) error { c.diary.note("go on %s, kept %t", c.name, c.kept); return nil }, nil
}

func (c *caller) Kill(context.Context) (string, error) {
	c.diary.note("kill %s, kept %t", c.name, c.kept)
	return c.name + " somewhere", nil
}

func (c *caller) HoldWrite(ctx context.Context, bound time.Duration) (string, func(), error) {
	where, letGo, err := c.Meet(ctx, bound)
	if err != nil {
		return "", nil, err
	}
	c.diary.note("hold %s", c.name)
	return where, func() { letGo(); c.diary.note("let go %s", c.name) }, nil
}

// TestHoldInstead shows whose store operation is held back where the drawn client does not
// come.
func TestHoldInstead(t *testing.T) {
	for _, tt := range []struct {
		name  string
		comes [2]time.Duration // of each client, from the start; 0: never
		want  []string
	}{
		{"the drawn one", [2]time.Duration{1500 * ms, 1200 * ms}, []string{
			"1.5s hold c1", "1.5s struck 1 [1] held back a store operation of c1 at a write", "2.5s let go c1", "2.5s healed 1 [1]"}},
		{"whoever comes first", [2]time.Duration{0, 2500 * ms}, []string{
			"2.5s hold c2", "2.5s struck 1 [2] held back a store operation of c2 at a write", "3.5s let go c2", "3.5s healed 1 [2]"}},
		{"nobody came", [2]time.Duration{}, []string{
			"3s not struck 1: fault had no target: no client came to a store operation within 1s"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &diary{start: time.Now()}
				w, _ := callers(d, tt.comes[:])
				steps := []nemesis.Step{{N: 1, At: time.Second, For: time.Second, Fault: "hold", Mode: nemesis.HoldWrite, Clients: []int{1}}}
				if err := nemesis.Execute(t.Context(), w, steps, nemesis.Kinds{"hold": nemesis.Hold{}}, d.named()); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tt.want, d.lines); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

// named notes the events with the clients that were struck.
func (d *diary) named() nemesis.Events {
	return nemesis.Events{
		Began:     func(nemesis.Step) {},
		Struck:    func(s nemesis.Step, seen string) { d.note("struck %d %v %s", s.N, s.Clients, seen) },
		NotStruck: func(s nemesis.Step, err error) { d.note("not struck %d: %v", s.N, err) },
		Healed:    func(s nemesis.Step) { d.note("healed %d %v", s.N, s.Clients) },
	}
}

// TestPauseInstead shows who is stopped where the drawn client does not come, that the events
// name that one, and that the other lane keeps off it.
func TestPauseInstead(t *testing.T) {
	tests := []struct {
		name  string
		n     int
		comes [3]time.Duration // of each client, from the start; 0: never
		other []int            // clients of a step of the other lane, from 0.5 to 5.5 s
		want  []string
	}{
		{"the drawn one", 1, [3]time.Duration{1500 * ms, 1200 * ms, 0}, nil, []string{
			"1.5s stop c1, kept true", "1.5s struck 1 [1] stopped c1 at a write", "2.5s go on c1, kept false", "2.5s healed 1 [1]"}},
		{"whoever comes first", 1, [3]time.Duration{0, 2800 * ms, 2500 * ms}, nil, []string{
			"2.5s stop c3, kept true", "2.5s struck 1 [3] stopped c3 at a write", "3.5s go on c3, kept false", "3.5s healed 1 [3]"}},
		{"nobody came", 1, [3]time.Duration{}, nil, []string{
			"3s stop c1, kept false", "3s struck 1 [1] stopped c1 somewhere", "4s go on c1, kept false", "4s healed 1 [1]"}},
		{"every third the drawn one", 3, [3]time.Duration{0, 2500 * ms, 0}, nil, []string{
			"2s stop c1, kept false", "2s struck 3 [1] stopped c1 somewhere", "3s go on c1, kept false", "3s healed 3 [1]"}},
		{"not one that another fault strikes", 1, [3]time.Duration{0, 2800 * ms, 2500 * ms}, []int{3}, []string{
			"500ms struck 9 [3] seen", "2.8s stop c2, kept true", "2.8s struck 1 [2] stopped c2 at a write",
			"3.8s go on c2, kept false", "3.8s healed 1 [2]", "5.5s healed 9 [3]"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &diary{start: time.Now()}
				w, _ := callers(d, tt.comes[:])
				steps := []nemesis.Step{{N: tt.n, At: time.Second, For: time.Second, Fault: "pause", Mode: nemesis.PauseClient, Clients: []int{1}}}
				if tt.other != nil {
					steps = append(steps, nemesis.Step{N: 9, At: 500 * ms, For: 5 * time.Second, Fault: "server", Clients: tt.other})
				}
				if err := nemesis.Execute(t.Context(), w, steps, nemesis.Kinds{"pause": nemesis.Pause{}, "server": fake{}}, d.named()); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tt.want, d.lines); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

// TestKillInstead shows who is killed where the drawn client does not come, and that nobody is
// where nobody comes.
func TestKillInstead(t *testing.T) {
	for _, tt := range []struct {
		name  string
		n     int
		comes [2]time.Duration // of each client, from the start; 0: never
		want  []string
	}{
		{"the drawn one", 3, [2]time.Duration{1500 * ms, 1200 * ms}, []string{
			"1.5s kill c1, kept true", "1.5s struck 3 [1] killed c1 at a write", "1.5s healed 3 [1]"}},
		{"whoever comes first", 1, [2]time.Duration{0, 2500 * ms}, []string{
			"2.5s kill c2, kept true", "2.5s struck 1 [2] killed c2 at a write", "2.5s healed 1 [2]"}},
		{"every third the drawn one, while another works", 3, [2]time.Duration{0, 2500 * ms}, []string{
			"2.5s kill c1, kept false", "2.5s struck 3 [1] killed c1 somewhere", "2.5s healed 3 [1]"}},
		{"the drawn one comes late", 3, [2]time.Duration{2500 * ms, 0}, []string{
			"2.5s kill c1, kept true", "2.5s struck 3 [1] killed c1 at a write", "2.5s healed 3 [1]"}},
		{"nobody came", 3, [2]time.Duration{}, []string{
			"3s not struck 3: fault had no target: no client entered a section within 1s"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &diary{start: time.Now()}
				w, clients := callers(d, tt.comes[:])
				steps := []nemesis.Step{{N: tt.n, At: time.Second, Fault: "kill-client", Clients: []int{1}}}
				if err := nemesis.Execute(t.Context(), w, steps, nemesis.Kinds{"kill-client": nemesis.KillClient{}}, d.named()); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tt.want, d.lines); diff != "" {
					t.Error(diff)
				}
				for _, c := range clients {
					if c.kept {
						t.Errorf("%s is still kept", c.name)
					}
				}
			})
		})
	}
}

// callers is a world of clients that come into a section at some time after the start, or
// never.
func callers(d *diary, comes []time.Duration) (*nemesis.World, []*caller) {
	w := &nemesis.World{TTL: time.Second}
	var all []*caller
	for i, after := range comes {
		c := &caller{name: fmt.Sprintf("c%d", i+1), diary: d}
		if after > 0 {
			c.comes = d.start.Add(after)
		}
		w.Clients, all = append(w.Clients, c), append(all, c)
	}
	return w, all
}

// TestOtherLaneKeepsOff shows that a fault of the other lane waits while a pause looks for
// whom to stop, and strikes as soon as that is another.
func TestOtherLaneKeepsOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &diary{start: time.Now()}
		c2 := &caller{name: "c2", diary: d, comes: d.start.Add(2500 * ms)}
		w := &nemesis.World{TTL: time.Second, Clients: []nemesis.Client{&caller{name: "c1", diary: d}, c2}}
		err := nemesis.Execute(t.Context(), w, []nemesis.Step{
			{N: 1, At: time.Second, For: time.Second, Fault: "pause", Mode: nemesis.PauseClient, Clients: []int{1}},
			{N: 2, At: 2200 * ms, For: ms, Fault: "server", Clients: []int{1}},
			{N: 4, At: 2600 * ms, For: ms, Fault: "server", Clients: []int{2}},
		}, nemesis.Kinds{"pause": nemesis.Pause{}, "server": fake{takes: 10 * ms}}, d.events())
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"2.5s stop c2, kept true", "2.5s struck 1 stopped c2 at a write", "2.51s struck 2 seen", "2.511s healed 2",
			"3.5s go on c2, kept false", "3.5s healed 1", "3.51s struck 4 seen", "3.511s healed 4"}
		if diff := cmp.Diff(want, d.lines); diff != "" {
			t.Error(diff)
		}
	})
}
