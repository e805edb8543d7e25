package timeline

import (
	"fmt"
	"time"

	"locktorture/internal/figures"
)

// bounded returns the options within the bounds (bounds.go).
func (o Options) bounded() Options {
	o.TTL, o.FreeWithin = clamped(o.TTL, longest), clamped(o.FreeWithin, longest)
	o.Retry = clamped(o.Retry, longestRetry)
	return o
}

// clamped returns a duration between 0 and most.
func clamped(d, most time.Duration) time.Duration { return min(max(d, 0), most) }

// Sharing reports whether the lock is granted to several at a time and declares no order. A reader
// that is let in beside readers while a writer waits is then measured, and no anomaly.
func (o Options) Sharing() bool { return o.Kind != "" && !o.IsElection() && !o.Fair }

// freeSlack is what may come on top of FreeWithin: a request, the server's own
// pace, and schedulers that let a waiter wait. On a busy machine with two cores
// it was up to 0.19 s.
const freeSlack = 250 * time.Millisecond

// Doubted is how many times FreeBy a lock may be asked for in vain while every answer leaves open
// whether it was granted. One such grant may go astray, and the lock is kept for FreeWithin; two in
// a row may; more is no accident.
const Doubted = 3

// Slack is what may come on top of FreeWithin, in ns.
func (o Options) Slack() int64 { return int64(max(freeSlack, o.FreeWithin/10)) }

// FreeBy is the time, in ns, after which a lock that is not free is a violation.
func (o Options) FreeBy() int64 { return int64(o.FreeWithin) + o.Slack() }

// ToldBy is the time, in ns, within which a client that waits learns of its grant.
func (o Options) ToldBy() int64 { return o.Slack() + int64(o.Retry) }

// Tail is how long clients must wait for a lock, with nobody giving up, no fault
// in place and no call that just ended with an unknown outcome, so that a lock
// that is dead shows it; and a second for everything else.
func (o Options) Tail() time.Duration {
	o = o.bounded()
	return time.Duration(Slow*o.FreeBy()+2*o.ToldBy()) + time.Second
}

// LongestTail is how long they must ask for it if every answer leaves open
// whether it was granted.
func (o Options) LongestTail() time.Duration {
	o = o.bounded()
	return time.Duration(Doubted*(o.FreeBy()+int64(o.Retry))) + o.Tail()
}

// An election is a lock whose tokens are terms and whose holder can be asked for by others.
// What is special about it is judged here: what observers saw, and candidates that were told
// what was over. It is judged in one piece, because who was elected in a quiet moment can
// still be seen long after it.

// ElectionKind is the Options.Kind of an election.
const ElectionKind = "election"

// IsElection reports whether the lock elects leaders.
func (o Options) IsElection() bool { return o.Kind == ElectionKind }

// Slow is how many times the limit a call must have waited if it was granted the lock at last, or
// if its outcome is unknown: the call itself may have been slow. Beside busy loops an acquire that
// nobody competed with took 2.1 s, of a lock that promises 1 s.
const Slow = 2

// OnlyWatched reports whether leases promise a notice of their loss, and no validity.
func (o Options) OnlyWatched() bool { return o.Watched && !o.Bounded }

// What latches and barriers have in common: clients wait for each other, and nobody has
// anything that another cannot have.

const (
	LatchKind   = "latch"
	BarrierKind = "barrier"
)

// Meets reports whether clients wait for each other: at a latch or a barrier.
func (o Options) Meets() bool { return o.Kind == LatchKind || o.Kind == BarrierKind }

// Patience is how long, in ns, a server may keep a lease that is over.
func (o Options) Patience() int64 { return max(int64(o.Retry), int64(50*time.Millisecond)) }

// Options has what a run declared about itself. All of it stands in run.json.
type Options struct {
	Kind       string        `json:"kind,omitempty"`      // what the lock offers: "", rw, semaphore, latch, barrier
	Model      string        `json:"model"`               // by which the lock operations are linearized
	Bounded    bool          `json:"bounded,omitempty"`   // leases declare their validity
	Watched    bool          `json:"watched,omitempty"`   // leases tell their loss
	Tokens     bool          `json:"tokens,omitempty"`    // leases carry fencing tokens
	Expires    bool          `json:"expires,omitempty"`   // leases end by themselves
	Fair       bool          `json:"fair,omitempty"`      // grants in the order of the queue
	Reentrant  bool          `json:"reentrant,omitempty"` // the holder may take it again
	Blind      bool          `json:"blind,omitempty"`     // a release is answered with ok, too, where the lease had ended before
	TTL        time.Duration `json:"ttl"`                 // ns
	FreeWithin time.Duration `json:"free_within"`         // ns; a lock whose holder is gone must be free again after it
	Retry      time.Duration `json:"retry"`               // ns; longest pause between two tries of a waiter
	Workload   string        `json:"workload,omitempty"`  // names the invariant
	Nemeses    []string      `json:"nemeses,omitempty"`   // requested; each must bite for a safe
	MinGrants  int           `json:"min_grants"`          // fewer make the run unknown
	Scripted   bool          `json:"scripted,omitempty"`  // one schedule, step by step: a safe says nothing about others
	Control    bool          `json:"control,omitempty"`   // the control "local": a corrupted store is the harness's own fault
	Throttled  Throttling    `json:"throttled,omitzero"`  // by a CPU limit, in all of the run; known when it is over
	Jobs       []Job         `json:"jobs,omitempty"`      // of an app, and what each promises

	Timeout time.Duration `json:"timeout"` // ns, of the linearizability search; then unknown
	Memory  int64         `json:"memory"`  // bytes, of the same
}

// A Throttling says how often the kernel kept all processes of a run from running, because a
// CPU limit of theirs was used up.
type Throttling struct {
	Periods   int64 `json:"periods"`   // of the limit, in which one of them wanted to run
	Throttled int64 `json:"throttled"` // those of them in which it was used up
	Time      int64 `json:"time"`      // ns, for which they were kept from running, summed over the processors
}

// Says is the clause of a verdict about it; "" if nothing was throttled.
func (t Throttling) Says() string {
	if t.Throttled <= 0 {
		return ""
	}
	return fmt.Sprintf("a CPU limit throttled the run in %s of %s periods, for %s of processor time",
		figures.Count(int(t.Throttled)), figures.Count(int(t.Periods)), figures.Span(t.Time))
}
