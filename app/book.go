package app

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"locktorture/history"
)

// A sight is an observation of a job.
type sight struct {
	client, process int
	job, key, mode  string
	way             string
	token           uint64
	refused         bool
	session         int   // ≥ 1: the connection on which a service of the replica acknowledged it
	began           int64 // the earliest possible time of the event; 0: unknown
	run             *open // nil: the run to which the sight belongs is still to be found
}

// A book numbers the runs and records the observations of them, in one order.
type book struct {
	mu    sync.Mutex
	note  func(history.Op)
	last  int64 // number of the last run
	open  []*open
	dead  map[int]bool    // processes
	ended map[runKey]bool // runs whose begin and end were reported; a new begin removes the entry
	idle  bool            // the replicas are being started or ended: an unobserved death is not recorded
}

// A runKey identifies the runs of one job and key in one process.
type runKey struct {
	process  int
	job, key string
}

// An open run is a run whose end was not observed yet.
type open struct {
	sight
	number int64
	tried  map[string]int64 // key → first try of its effect, since any of several tries may have taken effect
	heard  time.Time        // of a session: its last acknowledged effect
}

// entry returns the entry of a sight in the history.
func (r *open) entry(s sight, mode string) history.Op {
	op := history.Op{
		Process: s.process, Client: s.client, Type: history.Info, F: history.Job, Lock: s.job, Lease: r.number,
		Key: s.key, Mode: mode, Value: s.way, Token: s.token,
	}
	op.SetBegan(s.began)
	return op
}

func newBook(note func(history.Op)) *book {
	return &book{note: note, dead: map[int]bool{}, ended: map[runKey]bool{}, idle: true}
}

// work starts or ends the time in which every death is recorded.
func (b *book) work(on bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.idle = !on
}

// seen records a sight, and returns its run. From a dead process it accepts only effects and requests
// on links, which may have been under way. It ignores an end that the process reports again.
func (b *book) seen(s sight, now int64) *open {
	b.mu.Lock()
	defer b.mu.Unlock()
	onItsWay := s.mode == history.JobEffect || s.mode == history.JobLost || s.mode == history.JobTry && s.way != byEvent
	if b.dead[s.process] && !onItsWay {
		return nil
	}
	id := runKey{s.process, s.job, s.key}
	if s.mode == history.JobEnd && b.ended[id] && b.find(s) == nil {
		return nil
	}
	r := s.run
	if r == nil {
		r = b.runOf(s)
	}
	op := r.entry(s, s.mode)
	if s.refused && s.mode == history.JobEffect {
		op.Refused = history.ByStore
	}
	switch s.mode {
	case history.JobBegin:
		delete(b.ended, id)
	case history.JobTry:
		if _, ok := r.tried[s.key]; !ok {
			r.tried[s.key] = now
		}
	case history.JobEffect:
		if at, ok := r.tried[s.key]; ok && s.began == 0 {
			op.SetBegan(at)
		}
		delete(r.tried, s.key)
		if r.heard = time.Now(); r.mode != history.JobBegin && r.session == 0 { // its end will never be reported
			b.close(r)
		}
	case history.JobEnd:
		if r.mode == history.JobBegin {
			b.ended[id] = true
		}
		b.close(r)
	}
	b.note(op)
	return r
}

// span records a whole run of which only a span is seen, with the stamps of its begin and its end. failed
// says why it may not have been carried out; "" if it was.
func (b *book) span(s sight, begin, end int64, failed string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.dead[s.process] {
		return
	}
	b.last++
	op := (&open{number: b.last}).entry(s, history.JobBegin)
	op.UntilMax = begin
	b.note(op)
	op.Mode, op.UntilMax, op.Error = history.JobEnd, end, failed
	b.note(op)
}

// find returns the run of a sight: the latest run of that process with that key, else the latest
// without a key, else the latest of all if the sight has no key. A session is one run. find returns
// nil for a begin, and if no run fits.
func (b *book) find(s sight) *open {
	var exact, keyless, any *open
	for _, r := range b.open {
		if r.process != s.process || r.job != s.job || r.session != s.session {
			continue
		}
		any = r
		switch r.key {
		case s.key:
			exact = r
		case "":
			keyless = r
		}
	}
	switch {
	case s.mode == history.JobBegin:
	case s.session > 0 && any != nil:
		return any
	case exact != nil:
		return exact
	case keyless != nil:
		return keyless
	case any != nil && s.key == "":
		return any
	}
	return nil
}

// runOf returns the run of a sight. It makes a new run if find returns nil.
func (b *book) runOf(s sight) *open {
	if r := b.find(s); r != nil {
		return r
	}
	b.last++
	r := &open{sight: s, number: b.last, tried: map[string]int64{}}
	if b.open = append(b.open, r); len(b.open) > mostOpen {
		b.open = b.open[1:]
	}
	return r
}

// mostOpen bounds the number of runs that never end.
const mostOpen = 10_000

func (b *book) close(r *open) {
	for i, o := range b.open {
		if o == r {
			b.open = append(b.open[:i:i], b.open[i+1:]...)
			return
		}
	}
}

// asked records a request for a job or, without a job, that no more requests follow.
func (b *book) asked(job, key, way string) {
	mode := history.JobAsked
	if job == "" {
		mode = history.JobOver
	}
	b.told(history.Op{Mode: mode, Lock: job, Key: key, Value: way})
}

// kept records a key that is there at the end of a run. An empty key records that all keys were
// named. looked is the time at which the commands of after were started.
func (b *book) kept(job, key string, looked int64) {
	op := history.Op{Mode: history.JobKept, Lock: job, Key: key, Value: "line"}
	op.SetBegan(looked)
	b.told(op)
}

// told records what no replica was seen to do.
func (b *book) told(op history.Op) {
	op.Process, op.Type, op.F = history.Harness, history.Info, history.Job
	b.mu.Lock()
	defer b.mu.Unlock()
	b.note(op)
}

// around records that a replica has a connection to a server that bypasses its links.
func (b *book) around(client, process int, server string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.note(history.Op{Process: process, Client: client, Type: history.Info, F: history.Job, Mode: history.JobAround, Key: server})
}

// died records the end of a process. sent is the time of the kill, or 0 if the process ended by
// itself.
func (b *book) died(client, process int, sent int64, why error) {
	op := history.Op{Process: process, Client: client, Type: history.Info, F: history.Crash}
	op.SetBegan(sent)
	if why != nil {
		op.Error = why.Error()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.dead[process] {
		return
	}
	b.dead[process] = true // its runs stay open, because requests of them may still be on links
	if !b.idle || slices.ContainsFunc(b.open, func(r *open) bool { return r.process == process }) {
		b.note(op)
	}
}

// lately is for how long an acknowledged effect shows that its replica leads.
const lately = time.Second

// inside describes the current run of a process: "inside payout 17 (run 3)", or "" if there is
// none.
func (b *book) inside(process int) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.open {
		if r.process == process && (r.mode == history.JobBegin || time.Since(r.heard) < lately) {
			name := r.job
			if r.key != "" && r.session == 0 {
				name += " " + r.key
			}
			return fmt.Sprintf("inside %s (run %d)", name, r.number)
		}
	}
	return ""
}
