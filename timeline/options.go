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

// Sharing reports whether the lock is granted to several at a time and declares no order. If a
// reader is then let in beside readers while a writer waits, that is only measured and is no
// anomaly.
func (o Options) Sharing() bool { return o.Kind != "" && !o.IsElection() && !o.Fair }

// freeSlack is the time that may always come on top of FreeWithin. It covers a request, the
// server's own pace, and schedulers that keep a waiter waiting. On a busy machine with two
// cores, up to 0.19 s were measured.
const freeSlack = 250 * time.Millisecond

// Doubted is the factor on FreeBy that limits how long a lock may be asked for in vain while
// every answer leaves open whether it was granted. One such grant may go astray, and then the
// lock is kept for FreeWithin. A second one in a row may go astray, too. A third is no
// accident.
const Doubted = 3

// Slack returns the time, in ns, that may come on top of FreeWithin.
func (o Options) Slack() int64 { return int64(max(freeSlack, o.FreeWithin/10)) }

// FreeBy is the time, in ns, after which a lock that is not free is a violation.
func (o Options) FreeBy() int64 { return int64(o.FreeWithin) + o.Slack() }

// ToldBy is the time, in ns, within which a client that waits learns of its grant.
func (o Options) ToldBy() int64 { return o.Slack() + int64(o.Retry) }

// Tail returns how long clients must wait for a lock so that a dead lock shows itself. During
// that time nobody may give up, no fault may be in place, and no call may just have ended with
// an unknown outcome. The result includes a second for everything else.
func (o Options) Tail() time.Duration {
	o = o.bounded()
	return time.Duration(Slow*o.FreeBy()+2*o.ToldBy()) + time.Second
}

// LongestTail returns how long clients must ask for the lock if every answer leaves open
// whether it was granted.
func (o Options) LongestTail() time.Duration {
	o = o.bounded()
	return time.Duration(Doubted*(o.FreeBy()+int64(o.Retry))) + o.Tail()
}

// An election is a lock whose tokens are terms, and whose holder others can ask for. Package
// checker/rule judges what only elections have: what observers saw, and candidates that
// learned of a leadership that was already over. The history of an election is one piece,
// because a leader that was elected in a quiet moment can still be seen long after it.

// ElectionKind is the Options.Kind of an election.
const ElectionKind = "election"

// IsElection reports whether the lock elects leaders.
func (o Options) IsElection() bool { return o.Kind == ElectionKind }

// Slow is the factor on the limit for a call that was granted the lock in the end, or whose
// outcome is unknown, because the call itself may have been slow. Beside busy loops, an
// acquire without competition took 2.1 s, on a lock that promises 1 s.
const Slow = 2

// OnlyWatched reports whether leases promise a notice of their loss, and no validity.
func (o Options) OnlyWatched() bool { return o.Watched && !o.Bounded }

// Latches and barriers have this in common: clients wait for each other, and nobody holds
// anything that keeps others out.

const (
	LatchKind   = "latch"
	BarrierKind = "barrier"
)

// Meets reports whether clients wait for each other: at a latch or a barrier.
func (o Options) Meets() bool { return o.Kind == LatchKind || o.Kind == BarrierKind }

// Patience returns how long, in ns, a server may keep a lease that is over.
func (o Options) Patience() int64 { return max(int64(o.Retry), int64(50*time.Millisecond)) }

// Options holds what a run declared about itself. run.json contains all of it.
type Options struct {
	Kind       string        `json:"kind,omitempty"`      // "" (plain), rw, semaphore, election, latch, barrier, app
	Model      string        `json:"model"`               // names the model of the lock's operations; "" for none
	Bounded    bool          `json:"bounded,omitempty"`   // leases declare their validity
	Watched    bool          `json:"watched,omitempty"`   // holders are notified when they lose a lease
	Tokens     bool          `json:"tokens,omitempty"`    // leases carry fencing tokens
	Expires    bool          `json:"expires,omitempty"`   // leases expire
	Fair       bool          `json:"fair,omitempty"`      // grants in the order of the queue
	Reentrant  bool          `json:"reentrant,omitempty"` // a holder may take its lock again
	Blind      bool          `json:"blind,omitempty"`     // a release is answered with ok even if its lease had ended
	TTL        time.Duration `json:"ttl"`                 // ns
	FreeWithin time.Duration `json:"free_within"`         // ns; a lock whose holder is gone must be free again after it
	Retry      time.Duration `json:"retry"`               // ns; longest pause between two tries of a waiter
	Workload   string        `json:"workload,omitempty"`  // workload with the invariant
	Nemeses    []string      `json:"nemeses,omitempty"`   // requested faults; each must take effect for a safe verdict
	MinGrants  int           `json:"min_grants"`          // with fewer grants, the grade is unknown
	Scripted   bool          `json:"scripted,omitempty"`  // one schedule, step by step: a safe says nothing about others
	Control    bool          `json:"control,omitempty"`   // the control "local": a corrupted store is the harness's own fault
	Throttled  Throttling    `json:"throttled,omitzero"`  // by a CPU limit; known after the run
	Jobs       []Job         `json:"jobs,omitempty"`      // the jobs of an app, and what each promises

	Timeout time.Duration `json:"timeout"` // ns; limit of the linearizability search, which is unknown after that
	Memory  int64         `json:"memory"`  // bytes; memory limit of the same search
}

// A Throttling says how often the kernel kept all processes of a run from running, because a
// CPU limit of theirs was used up.
type Throttling struct {
	Periods   int64 `json:"periods"`   // periods of the limit in which a process wanted to run
	Throttled int64 `json:"throttled"` // periods in which the limit was used up
	Time      int64 `json:"time"`      // ns for which processes were kept from running, summed over the processors
}

// Says returns the clause of a verdict about the throttling; "" if nothing was throttled.
func (t Throttling) Says() string {
	if t.Throttled <= 0 {
		return ""
	}
	return fmt.Sprintf("a CPU limit throttled the run in %s of %s periods (%s of processor time lost)",
		figures.Count(int(t.Throttled)), figures.Count(int(t.Periods)), figures.Span(t.Time))
}
