package sweep

import (
	"strings"
	"testing"
	"time"

	"locktorture/history"
)

// ms is a history whose times are milliseconds; process 11 is of client 1.
func ms(entries ...history.Op) *tally {
	t := newTally(900 * time.Millisecond)
	for _, op := range entries {
		op.Time *= 1e6
		op.UntilMin *= 1e6
		t.add(&op)
	}
	return t
}

func granted(at int64, client int, lease int64) history.Op {
	return history.Op{Time: at, Process: 10 + client, Client: client, Type: history.OK, F: history.Acquire, Lock: "l", Lease: lease}
}

func released(at int64, client int, lease int64) history.Op {
	return history.Op{Time: at, Process: 10 + client, Client: client, Type: history.Invoke, F: history.Release, Lock: "l", Lease: lease}
}

func crashed(at, began int64, client int) history.Op {
	return history.Op{Time: at, Process: 10 + client, Client: client, UntilMin: began, Type: history.Info, F: history.Crash}
}

func stopped(at int64, client int) history.Op {
	return history.Op{Time: at, Process: history.Nemesis, Client: client, Type: history.Info, F: history.Fault, Key: stop}
}

// TestOutage: from the kill of a holder to the next grant; a death of somebody else, or after
// the release, takes nothing away.
func TestOutage(t *testing.T) {
	c := ms(granted(10, 1, 1), crashed(105, 100, 1), granted(950, 2, 2))
	if len(c.outages) != 1 || c.outages[0] != 850*time.Millisecond {
		t.Errorf("the holder was killed at 100 ms, the next grant came at 950 ms: %v", c.outages)
	}
	if c := ms(granted(10, 1, 1), crashed(100, 100, 2), granted(950, 2, 2)); len(c.outages) != 0 {
		t.Errorf("one was killed who did not hold the lock: %v", c.outages)
	}
	if c := ms(granted(10, 1, 1), released(20, 1, 1), crashed(100, 100, 1), granted(950, 2, 2)); len(c.outages) != 0 {
		t.Errorf("the holder had called to release it: %v", c.outages)
	}
	end := history.Op{Time: 2000, Process: history.Harness, Type: history.Info, F: history.End}
	if c := ms(granted(10, 1, 1), crashed(100, 100, 1), end); len(c.outages) != 1 || c.outages[0] != 1900*time.Millisecond {
		t.Errorf("it was never granted again: %v", c.outages)
	}
}

// TestOutageOfWhom: the dead client is known by its latest process, and a lock that another
// was granted meanwhile is not its.
func TestOutageOfWhom(t *testing.T) {
	death := crashed(100, 100, 1)
	death.Process = 61
	if c := ms(granted(10, 1, 1), death, granted(950, 2, 2)); len(c.outages) != 1 {
		t.Errorf("the holder has another process since: %v", c.outages)
	}
	if c := ms(granted(10, 1, 1), granted(50, 2, 2), crashed(100, 100, 1), released(110, 2, 2), granted(950, 3, 3)); len(c.outages) != 0 {
		t.Errorf("the dead holder had been overtaken: %v", c.outages)
	}
	if c := ms(granted(10, 1, 1), granted(50, 2, 2), crashed(100, 100, 2), granted(950, 3, 3)); len(c.outages) != 1 {
		t.Errorf("who had overtaken died: %v", c.outages)
	}
}

// TestStopsOfHolders: a stop counts where its victim holds the lock.
func TestStopsOfHolders(t *testing.T) {
	if c := ms(granted(10, 1, 1), stopped(20, 1), stopped(30, 2), released(40, 1, 1), stopped(50, 1)); c.stops != 1 {
		t.Errorf("%d stops of holders, want 1", c.stops)
	}
}

// TestRenewals counts whole thirds of the TTL (900 ms) that a section lasts; a stopped holder
// renews nothing.
func TestRenewals(t *testing.T) {
	for _, tt := range []struct {
		hold               int64
		renewals, outlived int
	}{{299, 0, 0}, {300, 1, 0}, {899, 2, 0}, {900, 3, 1}} {
		c := ms(granted(10, 1, 1), released(10+tt.hold, 1, 1))
		if c.renewals != tt.renewals || c.outlived != tt.outlived {
			t.Errorf("a section of %d ms: %d renewals, %d outlived", tt.hold, c.renewals, c.outlived)
		}
	}
	if c := ms(granted(10, 1, 1), stopped(20, 1), released(910, 1, 1)); c.renewals+c.outlived != 0 {
		t.Errorf("a stopped holder: %d renewals, %d outlived", c.renewals, c.outlived)
	}
}

// TestScale: rates hold for the user's system, not for the run.
func TestScale(t *testing.T) {
	c := &tally{ttl: 1e9, sections: 2000, stops: 20, renewals: 50, outages: []time.Duration{time.Second, 2 * time.Second, 9 * time.Second}}
	got := c.scale(5, Rates{StopEvery: 1000, DeathEvery: time.Hour})
	if got.OverrunsPerMillion != 250 || got.AtMost != 0 {
		t.Errorf("5 of 20 stops overran, and one section in 1,000 is stopped: %v a million, at most %v", got.OverrunsPerMillion, got.AtMost)
	}
	if got.Out != 2*time.Second || got.OutMax != 9*time.Second || got.Share != 4.0/3600 || got.Renewals != 25 {
		t.Errorf("median %v, longest %v, share %v, renewals %v", got.Out, got.OutMax, got.Share, got.Renewals)
	}
	// 1 - 0.05^(1/20) = 13.9 % of the stops.
	if got := c.scale(0, Rates{StopEvery: 1000, DeathEvery: time.Hour}); got.AtMost < 139 || got.AtMost > 140 || got.OverrunsPerMillion != 0 {
		t.Errorf("none of 20 stops overran: %v, at most %v", got.OverrunsPerMillion, got.AtMost)
	}
}

// sample is a report with these overruns of ten stops each, at 1 s, 2 s, ….
func sample(overruns ...int) Report {
	r := Report{Backend: "redis-set", Clients: 5, Hold: "2ms-5ms", LongHold: "none", Stops: "1s", Rates: Rates{StopEvery: 500, DeathEvery: time.Hour}}
	for i, n := range overruns {
		c := &tally{ttl: int64(i+1) * 1e9, sections: 1000, stops: 10, outages: []time.Duration{time.Duration(i+1) * time.Second}}
		r.TTLs = append(r.TTLs, c.scale(n, r.Rates))
	}
	r.Advice = r.advise()
	return r
}

// TestAdvice takes the shortest TTL without an overrun, says so where there is none, and says
// nothing of what was not struck.
func TestAdvice(t *testing.T) {
	for _, tt := range []struct {
		r    Report
		want string
	}{
		{sample(4, 0, 0), "Take 2s, the shortest of the tried TTLs at which no stop outlasted the lease (0 of 10; at 95 % confidence, fewer than 518 a million sections"},
		{sample(4, 2), "No TTL tried is long enough: even with 2s, 2 of 10 stops outlasted the lease (400 a million sections"},
		{Report{TTLs: []TTL{{TTL: time.Second, Deaths: 1}}}, "No TTL can be advised: with a TTL of 1s, 0 holders were stopped and 1 died"},
	} {
		if got := tt.r.advise(); !strings.HasPrefix(got, tt.want) {
			t.Errorf("got  %s\nwant %s …", got, tt.want)
		}
	}
}
