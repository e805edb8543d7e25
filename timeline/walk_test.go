package timeline_test

import (
	"fmt"
	"slices"
	"testing"

	"locktorture/history"
	"locktorture/timeline"
)

// TestWalk: each entry comes with the call that it answers and the lease that it is about, and
// says which leases it ends, overtakes or shows.
func TestWalk(t *testing.T) {
	op := func(at int64, client, process int, typ history.Type, f history.F, lease int64, value string) history.Op {
		return history.Op{Time: at, Client: client, Process: process, Type: typ, F: f, Lock: "L", Lease: lease, Value: value}
	}
	look := history.Op{Time: 7, Process: history.Harness, Type: history.Info, F: history.Probe, Lock: "L", Node: "n"}
	look.Holds = []history.Hold{{Owner: "a"}, {Owner: "b"}, {Owner: "nobody"}}
	h := history.History{
		op(1, 1, 1, history.Invoke, history.Acquire, 0, ""), op(2, 1, 1, history.OK, history.Acquire, 1, "a"),
		op(3, 1, 1, history.Invoke, history.Renew, 1, ""), op(4, 1, 1, history.Info, history.Renew, 1, ""), // its client goes on as process 3
		op(5, 2, 2, history.Invoke, history.Try, 0, ""), op(6, 2, 2, history.OK, history.Try, 2, "b"), look,
		op(8, 2, 2, history.Invoke, history.Release, 2, ""), op(9, 2, 2, history.OK, history.Release, 2, ""),
		op(10, 2, 2, history.Info, history.Lost, 2, ""), op(11, 1, 3, history.Invoke, history.Acquire, 0, ""), op(12, 1, 3, history.Info, history.Crash, 0, ""),
	}
	run, err := timeline.Survey(h, timeline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	numbers := func(list []*timeline.Lease) (out []int64) {
		for _, g := range list {
			if g == nil {
				out = append(out, 0)
			} else {
				out = append(out, g.Number)
			}
		}
		return out
	}
	var got []string
	open, err := timeline.Walk(h, run, func(e timeline.Entry) error {
		line := fmt.Sprintf("%d %s:", e.Time, e.F)
		if e.Inv != nil {
			line += fmt.Sprintf(" since %d", e.Inv.Time)
		}
		if e.Lease != nil {
			line += fmt.Sprintf(" lease %d granted %v", e.Lease.Number, e.Granted())
		}
		got = append(got, fmt.Sprintf("%s %v %v %v", line, numbers(e.Overtakes), numbers(e.Ended), numbers(e.Holders)))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"1 acquire: [] [] []", "2 acquire: since 1 lease 1 granted true [] [] []",
		"3 renew: lease 1 granted false [] [] []", "4 renew: since 3 lease 1 granted false [] [] []",
		"5 try: [] [] []", "6 try: since 5 lease 2 granted true [1] [] []", "7 probe: [] [] [1 2 0]",
		"8 release: lease 2 granted false [] [] []", "9 release: since 8 lease 2 granted false [] [] []",
		"10 lost: lease 2 granted false [] [] []", "11 acquire: [] [] []", "12 crash: [] [1] []",
	}
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Errorf("entry %d: %q, want %q", i, got[i:min(i+1, len(got))], want[i:min(i+1, len(want))])
		}
	}
	if len(open) != 1 || open[0].Op != &h[10] {
		t.Errorf("never answered: %v", open)
	}
	all, err := timeline.Leases(h)
	if err != nil || !slices.Equal(numbers(all), []int64{1, 2}) {
		t.Errorf("leases %v: %v", numbers(all), err)
	}
}
