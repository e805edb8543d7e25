package sweep

import (
	"errors"
	"io"
	"slices"
	"time"

	"locktorture/history"
)

// A watched lease is one that somebody holds.
type watched struct {
	lock      string
	client    int
	granted   int64
	struck    bool // its holder was stopped meanwhile: it renews nothing then
	overtaken bool // somebody else was granted the lock meanwhile
}

// A tally is what a history shows of one TTL.
type tally struct {
	ttl      int64
	sections int
	stops    int             // of a client that held a lock
	outages  []time.Duration // after the death of a holder, until the next grant of its lock
	renewals int             // thirds of the TTL that sections lasted
	outlived int             // sections that lasted for a TTL and more

	held map[int64]*watched // by lease
	down map[string]int64   // since when a lock is its dead holder's
}

func newTally(ttl time.Duration) *tally {
	return &tally{ttl: int64(ttl), held: map[int64]*watched{}, down: map[string]int64{}}
}

// read counts what a history shows of a TTL.
func read(r *history.Reader, ttl time.Duration) (*tally, error) {
	t := newTally(ttl)
	for {
		op, err := r.Next()
		if errors.Is(err, io.EOF) {
			return t, nil
		}
		if err != nil {
			return nil, err
		}
		t.add(&op)
	}
}

// add takes the next entry.
func (t *tally) add(op *history.Op) {
	switch {
	case op.Type == history.OK && (op.F == history.Acquire || op.F == history.Try):
		t.grant(op)
	case op.Type == history.Invoke && op.F == history.Release:
		t.release(op)
	case op.F == history.Crash:
		t.crash(op)
	case op.F == history.Fault && op.Kind() == stop:
		t.struck(op.Client)
	case op.F == history.End:
		for _, since := range t.down {
			t.outages = append(t.outages, time.Duration(op.Time-since))
		}
	}
}

func (t *tally) grant(op *history.Op) {
	t.sections++
	for _, l := range t.held {
		l.overtaken = l.overtaken || l.lock == op.Lock
	}
	t.held[op.Lease] = &watched{lock: op.Lock, client: op.Client, granted: op.Time}
	if since, ok := t.down[op.Lock]; ok {
		t.outages = append(t.outages, time.Duration(op.Time-since))
		delete(t.down, op.Lock)
	}
}

func (t *tally) release(op *history.Op) {
	l := t.held[op.Lease]
	if l == nil {
		return
	}
	delete(t.held, op.Lease)
	if l.struck {
		return
	}
	hold := op.Time - l.granted
	t.renewals += int(hold / max(1, t.ttl/3))
	if hold >= t.ttl {
		t.outlived++
	}
}

// crash begins the time for which nobody gets the lock of a dead holder. Whoever had called to
// release it had let it go, and whoever was overtaken had it no longer. A client may have a
// new process since its grant.
func (t *tally) crash(op *history.Op) {
	began, ok := op.Began()
	if !ok {
		began = op.Time
	}
	for number, l := range t.held {
		if l.client != op.Client {
			continue
		}
		if !l.overtaken {
			t.down[l.lock] = began
		}
		delete(t.held, number)
	}
}

// struck counts a stop, if it struck a holder.
func (t *tally) struck(client int) {
	holds := false
	for _, l := range t.held {
		if l.client == client {
			l.struck, holds = true, true
		}
	}
	if holds {
		t.stops++
	}
}

// median is the median of some times; 0 of none.
func median(times []time.Duration) time.Duration {
	if len(times) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(times))
	return sorted[(len(sorted)-1)/2]
}
