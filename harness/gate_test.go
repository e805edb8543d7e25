package harness

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestGateStrikes shows where an armed fault strikes: at a write first, after
// half of the bound at any place that will do, after the bound nowhere.
func TestGateStrikes(t *testing.T) {
	tests := []struct {
		name  string
		least place
		stand []place // the client passes one gate every second
		want  string
		after time.Duration
	}{
		{"the first write", inside, []place{outside, access, writing}, "writing", 3 * time.Second},
		{"not before half of the bound", inside, []place{inside, inside, inside, inside, inside, inside}, "inside", 4 * time.Second},
		{"a place that is too small never", access, []place{outside, inside, inside, outside, inside, inside, inside, inside, inside}, "", 7 * time.Second},
	}
	names := map[place]string{outside: "outside", inside: "inside", access: "access", writing: "writing"}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var g gate
				start := time.Now()
				var client sync.WaitGroup
				client.Go(func() {
					for _, p := range tt.stand {
						time.Sleep(time.Second) // the bubble's clock
						if g.pass(t.Context(), names[p], p) != nil {
							return
						}
					}
				})
				where, open, err := g.meet(t.Context(), tt.least, 7*time.Second)
				if err != nil {
					t.Fatal(err)
				}
				if took := time.Since(start); where != tt.want || took != tt.after {
					t.Errorf("struck %q after %v, want %q after %v", where, took, tt.want, tt.after)
				}
				open()
				client.Wait()
			})
		})
	}
}

// TestGateHolds shows that a struck client stands until the gate opens.
func TestGateHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g gate
		passed := false
		go func() {
			if g.pass(t.Context(), "here", writing) == nil {
				passed = true
			}
		}()
		synctest.Wait()
		if !passed {
			t.Fatal("an open gate held the client")
		}
		passed = false
		armed := make(chan string)
		go func() {
			where, _, _ := g.meet(t.Context(), inside, time.Minute)
			armed <- where
		}()
		synctest.Wait()
		go func() {
			if g.pass(t.Context(), "at the write", writing) == nil {
				passed = true
			}
		}()
		if where := <-armed; where != "at the write" {
			t.Errorf("struck at %q", where)
		}
		synctest.Wait()
		if passed {
			t.Error("the client passed a shut gate")
		}
		g.open()
		synctest.Wait()
		if !passed {
			t.Error("the client did not pass when the gate opened")
		}
	})
}

// TestGateDisarms shows that a fault that is given up leaves the gate open.
func TestGateDisarms(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g gate
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if where, _, err := g.meet(ctx, inside, time.Minute); err == nil {
			t.Errorf("struck %q although nobody came", where)
		}
		if where, _, err := g.meet(t.Context(), inside, time.Second); where != "" || err != nil {
			t.Errorf("met %q although nobody came, error %v", where, err)
		}
		if err := g.pass(t.Context(), "here", writing); err != nil {
			t.Error(err)
		}
	})
}

// TestGateIsHeldTwice shows that a client which is stopped while it is kept at work goes on
// when both have let it go, in either order.
func TestGateIsHeldTwice(t *testing.T) {
	for _, keeperFirst := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			var g gate
			passed := false
			go func() {
				time.Sleep(time.Second)
				passed = g.pass(t.Context(), "at work", working) == nil
			}()
			where, letGo, err := g.armAt(t.Context(), working, time.Minute)
			if err != nil || where != "at work" {
				t.Fatalf("kept %q: %v", where, err)
			}
			resume := g.shutNow()
			first, second := resume, letGo
			if keeperFirst {
				first, second = letGo, resume
			}
			first()
			first()
			synctest.Wait()
			if passed {
				t.Error("it went on although it was still held")
			}
			second()
			synctest.Wait()
			if !passed {
				t.Error("it did not go on")
			}
		})
	}
}

// TestGateGivesWay shows that whoever wants one place only neither takes the strike of another
// away nor keeps it from coming.
func TestGateGivesWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g gate
		struck := make(chan string)
		go func() {
			where, open, err := g.meet(t.Context(), working, time.Minute)
			if err == nil {
				open()
			}
			struck <- where
		}()
		synctest.Wait()
		if where, _, err := g.armAt(t.Context(), working, time.Second); where != "" || err != nil {
			t.Errorf("struck %q beside another: %v", where, err)
		}
		go func() { _ = g.pass(t.Context(), "the write", writing) }()
		if where := <-struck; where != "the write" {
			t.Errorf("the other struck %q", where)
		}
	})
}
