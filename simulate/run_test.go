package simulate_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"locktorture/harness"
	"locktorture/history"
	"locktorture/simulate"
	"locktorture/simulate/inside"
)

const minute = time.Minute

// A run that is interrupted ends in order, with the reason in its history.
func TestEarly(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	o := order("redis-set", 1)
	o.Fencing = harness.FencingOff
	var h history.History
	_, err := simulate.Run(ctx, simulate.Config{Order: o, Program: guest(t), Servers: servers(t, "redis-set"), Record: func(op history.Op) error {
		if h = append(h, op); len(h) == 50 {
			stop(harness.Early("enough was seen"))
		}
		return nil
	}})
	must(t, err)
	if last := h[len(h)-1]; last.F != history.End || last.Value != "enough was seen" {
		t.Errorf("the last of %d entries is %+v", len(h), last)
	}
	if full, _ := play(t, guest(t), servers(t, "redis-set"), order("redis-set", 1)); len(h) >= len(full) {
		t.Errorf("%d entries, a whole run has %d", len(h), len(full))
	}
}

// Points are named by what they are, and each once.
func TestPoints(t *testing.T) {
	h, r := play(t, guest(t), servers(t, "redis-set"), order("redis-set", 1))
	names := map[string]bool{}
	for i, p := range r.Points {
		name := p.String()
		if names[name] {
			t.Errorf("two points are called %s", name)
		}
		if names[name] = true; i > 0 && p.At < r.Points[i-1].At {
			t.Errorf("%s comes before the point before it", name)
		}
		if strings.Contains(name, "HELLO") || strings.Contains(name, "PTTL") {
			t.Errorf("%s is none of a lock's messages", name)
		}
	}
	for _, want := range []string{"c1 send SET redis-1 #1", "c2 reply SET=OK redis-1 #1", "c3 reply SET=nil redis-1 #2", "c1 reply EVAL=1 redis-1 #1"} {
		if !names[want] {
			t.Errorf("no point is called %s", want)
		}
	}
	grants, last := 0, r.Points[len(r.Points)-1].At
	for _, op := range h {
		if op.F == history.Acquire && op.Type == history.OK && op.Time <= last {
			grants++
		}
	}
	if n := len(slices.DeleteFunc(slices.Clone(r.Points), func(p simulate.Point) bool { return p.What != "SET=OK" })); n != grants {
		t.Errorf("%d grants, and the servers granted %d", grants, n)
	}
}

// A run that cannot be is refused, and one that is broken inside says so.
func TestRefused(t *testing.T) {
	p := guest(t)
	on := servers(t, "redis-set")
	for want, o := range map[string]inside.Order{
		"etcd-lease cannot be simulated": order("etcd-lease", 1), "needs 5 servers, there are 1": order("redlock", 1),
	} {
		if _, err := simulate.Run(t.Context(), simulate.Config{Order: o, Program: p, Servers: on}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	o := order("redis-set", 1)
	o.Clients, o.Fencing = 0, harness.FencingOff
	var trace bytes.Buffer
	if _, err := simulate.Run(t.Context(), simulate.Config{Order: o, Program: p, Servers: on, Trace: &trace}); err == nil || !strings.Contains(err.Error(), "at least one is needed") {
		t.Errorf("no clients: %v", err)
	}
}
