package nemesis_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"locktorture/nemesis"
)

// TestPlanStrikesWaiters: of three strikes at clients that follow each other one is at a waiter,
// whatever the seed, or nearly: what fits nowhere is drawn freely. One client alone waits for
// nobody.
func TestPlanStrikesWaiters(t *testing.T) {
	for _, fault := range []string{"kill-client", "pause"} {
		atClients, atWaiters := 0, 0
		for seed := range uint64(200) {
			steps := plan(t, seed, shapeOf(5, 2, 1), only(fault), time.Minute)
			here, waiters := 0, 0
			for _, s := range steps {
				if len(s.Clients) == 0 {
					continue
				}
				here++
				if s.Mode == nemesis.OnWaiter {
					waiters++
				}
			}
			if waiters < here/3-1 || waiters > (here+2)/3+1 {
				t.Errorf("%s, seed %d: %d of %d strikes are at waiters", fault, seed, waiters, here)
			}
			atClients, atWaiters = atClients+here, atWaiters+waiters
			for _, s := range plan(t, seed, shapeOf(1, 2, 1), only(fault), time.Minute) {
				if s.Mode == nemesis.OnWaiter {
					t.Fatalf("%s, seed %d: the only client is to be struck while it waits", fault, seed)
				}
			}
		}
		if share := float64(atWaiters) / float64(atClients); share < 0.32 || share > 0.35 {
			t.Errorf("%s: %.3f of %d strikes are at waiters, want one in three", fault, share, atClients)
		}
	}
}

// TestStrikesAWaiter shows who is struck where a waiter is wanted: the drawn client once it
// waits, another that does, or, with a word of it, whoever comes to work.
func TestStrikesAWaiter(t *testing.T) {
	never := time.Duration(0)
	for _, tt := range []struct {
		name         string
		waits, comes [2]time.Duration // of each client, from the start; 0: never
		kill, pause  []string         // what happens
	}{
		{"the drawn one, though another comes to work first", [2]time.Duration{1100 * ms, never}, [2]time.Duration{never, 1050 * ms},
			[]string{"1.1s kill c1, kept true", "1.1s struck 3 [1] killed c1 waiting", "1.1s healed 3 [1]"},
			[]string{"1.1s stop c1, kept true", "1.1s struck 3 [1] stopped c1 waiting", "2.1s go on c1, kept false", "2.1s healed 3 [1]"}},
		{"not the drawn one at work, but another that waits", [2]time.Duration{never, 1050 * ms}, [2]time.Duration{1050 * ms, never},
			[]string{"1.25s kill c2, kept true", "1.25s struck 3 [2] killed c2 waiting", "1.25s healed 3 [2]"},
			[]string{"1.25s stop c2, kept true", "1.25s struck 3 [2] stopped c2 waiting", "2.25s go on c2, kept false", "2.25s healed 3 [2]"}},
		{"a holder where nobody waits in time", [2]time.Duration{1600 * ms, 1600 * ms}, [2]time.Duration{never, 2 * time.Second},
			[]string{"2s kill c2, kept true", "2s struck 3 [2] killed c2 at a write, as no client was waiting", "2s healed 3 [2]"},
			[]string{"2s stop c2, kept true", "2s struck 3 [2] stopped c2 at a write, as no client was waiting", "3s go on c2, kept false", "3s healed 3 [2]"}},
		{"nobody comes at all", [2]time.Duration{}, [2]time.Duration{},
			[]string{"2.5s not struck 3: fault had no target: no client entered a section within 1s"},
			[]string{"2.5s stop c1, kept false", "2.5s struck 3 [1] stopped c1 somewhere, as no client was waiting", "3.5s go on c1, kept false", "3.5s healed 3 [1]"}},
	} {
		for fault, want := range map[string][]string{"kill-client": tt.kill, "pause": tt.pause} {
			t.Run(tt.name+", "+fault, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					d := &diary{start: time.Now()}
					w, clients := callers(d, tt.comes[:])
					for i, after := range tt.waits {
						if after > 0 {
							clients[i].waits = d.start.Add(after)
						}
					}
					step := nemesis.Step{N: 3, At: time.Second, Fault: fault, Mode: nemesis.OnWaiter, Clients: []int{1}}
					if fault == "pause" {
						step.For = time.Second
					}
					if err := nemesis.Execute(t.Context(), w, []nemesis.Step{step}, nemesis.All(), d.named()); err != nil {
						t.Fatal(err)
					}
					if diff := cmp.Diff(want, d.lines); diff != "" {
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
}
