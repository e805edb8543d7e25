package timeline

import (
	"math"
	"slices"
	"time"

	"locktorture/history"
)

// A Run holds what has to be known of the whole history before any part of it can be judged.
// Some facts come later in the file than what they explain: whether a call is ever answered,
// when a process died, and until when a fault was in place. So the history is read twice,
// instead of being held. The memory of a Run grows with the faults, probes and processes of a
// run, and with what is out of the ordinary, but not with its operations.
type Run struct {
	Options    Options
	First, End int64                          // times of the first and the last entry
	Called     *history.Op                    // the first call of a client; nil if there was none
	line       int                            // entries so far
	ClientOf   map[int]int                    // process → client
	Clients    map[int]bool                   // clients that made a call
	crashed    map[int]int64                  // process → when its death was recorded
	Crashes    []*history.Op                  // deaths of clients, in order
	lived      map[*history.Op]int64          // crash → when the kill was sent, else the client's last sign of life
	waited     map[*history.Op]string         // crash → the lock that the client waited for
	Declared   map[string]history.FaultTraits // kind of fault → what it declared
	Probed     map[string]*Probed             // by lock
	Owners     map[OwnerKey]OwnerSeen         // owner values that were seen on servers
	never      map[int]bool                   // lines of invocations that have no completion
	late       map[int64]int                  // lease that is named after its end → line of the last time
	Repeated   map[string]map[uint64]int      // lock → tokens that did not grow → how many grants carry them
	Unordered  map[Place]bool                 // keys for which the order of the store's operations is not known
	Untimely   bool                           // the store's order contradicts the times: no lock is cut into pieces
	Uncertain  bool                           // a write has an unknown outcome
	UsualTrip  int64                          // ns; the time within which 99 % of the releases were answered
	tellsIn    int64                          // ns; the result of usuallyTold
	Recoveries Sample                         // ns from a fault to the next grant
	Counts     Counts                         // without Anomalies, Faults and Bites
	Ended      *history.Op                    // the end of the run, nil if it was cut off
	Trespasses int                            // operations on stores by clients that worked without a grant
	FencedUsed bool                           // somebody worked on the fenced store under a lease
	Expiries   Precision                      // how exactly servers report an expiry

	Troubles
	Pauses
}

// Troubles are the faults of a run, in the order in which their effects were seen.
type Troubles struct {
	Faults   []*Fault
	Prepared []Window         // times in which a fault had begun, but was not yet effective
	upsets   map[int][]Window // client, or Everybody → when faults were in place, in order and apart
}

// Pauses are the times in which the machine kept the harness or the servers from running, in order.
type Pauses struct {
	Stalls   []Window
	Silences []Window // times without an answer to a look
	looked   bool     // a look was answered
	lastLook int64    // when that was last
}

// A surveyor is the first reading in progress.
type surveyor struct {
	*Run
	open      map[int]begun
	alive     map[int]int64 // client → its last sign of life so far
	holders   map[int64]int // lease → client, until it is over
	tokens    map[string]uint64
	releases  Sample
	told      Sample           // ns that the answers to grants took
	freed     map[string]int64 // lock → call of its latest release
	applied   int64            // greatest apply number so far
	recovered int              // faults after which a lock was granted again
	lastGrant int64
}

// A begun is an operation under way.
type begun struct {
	op    *history.Op
	line  int
	floor int64 // the greatest apply number among the operations answered before
}

// An OwnerSeen holds what is known about an owner value that was seen on a server.
type OwnerSeen struct {
	Grants      int   // how many grants it stands for; more than one where a session keeps its name
	First, Last int64 // times of its first and last sight
}

// Probed says which nodes the probes of a lock looked at.
type Probed struct {
	Nodes map[string]bool
	Looks int // how many of the probes listed all holders
}

// Survey reads a history for the first time. It fails only if src cannot be read.
func Survey(src history.Source, o Options) (*Run, error) {
	s := newSurveyor(o)
	if err := src.Each(s.entry); err != nil {
		return nil, err
	}
	for _, b := range s.open {
		s.never[b.line] = true
		s.store(b, nil)
	}
	s.finishFaults()
	s.findUpsets()
	s.UsualTrip = int64(10 * time.Millisecond)
	if n := s.releases.n; n > 0 {
		s.UsualTrip = s.releases.Rank(n * 99 / 100)
	}
	s.tellsIn = s.usuallyTold()
	s.Counts.Processes, s.Counts.Crashes, s.Counts.Duration = len(s.ClientOf), len(s.Crashes), s.End
	if s.line > 0 {
		s.Counts.Duration -= s.First
	}
	if len(s.Owners) == 0 {
		return s.Run, nil
	}
	return s.Run, src.Each(s.countOwner)
}

// countOwner counts, for each owner value that was seen on a server, the grants that it stands
// for.
func (s *surveyor) countOwner(op *history.Op) error {
	if op.Type == history.OK && (op.F == history.Acquire || op.F == history.Try) {
		key := OwnerKey{op.Lock, op.Owner()}
		if o, seen := s.Owners[key]; seen {
			o.Grants++
			s.Owners[key] = o
		}
	}
	return nil
}

// entry takes the next entry.
func (s *surveyor) entry(op *history.Op) error {
	if op.F == history.End { // nobody asked or waited until then, so it does not move s.End
		s.Ended = op
		return nil
	}
	if s.line == 0 {
		s.First = op.Time
	}
	s.End = op.Time
	if op.Process >= 0 && op.Client > 0 {
		s.ClientOf[op.Process] = op.Client
		s.Clients[op.Client] = true
		if !op.F.Event() {
			s.alive[op.Client] = op.Time
		}
	}
	s.count(op)
	granted := op.Type == history.OK && (op.F == history.Acquire || op.F == history.Try)
	if op.Lease != 0 && !granted {
		if _, held := s.holders[op.Lease]; !held {
			s.late[op.Lease] = s.line
		}
	}
	switch {
	case op.F.Event():
		s.event(op)
	case op.Type == history.Invoke:
		s.open[op.Process] = begun{op, s.line, s.applied}
		s.leaves(op)
	default:
		if b, ok := s.open[op.Process]; ok && b.op.F == op.F {
			delete(s.open, op.Process)
			s.complete(b, op)
		}
	}
	s.line++
	return nil
}

// count adds an entry to the Counts.
func (s *surveyor) count(op *history.Op) {
	switch {
	case op.Type == history.Invoke:
		s.Counts.Ops++
		if s.Called == nil && op.Process >= 0 {
			s.Called = op
		}
	case op.Type == history.Info && !op.F.Event():
		s.Counts.Unknown++
	case op.Type == history.Fail && (op.F == history.Acquire || op.F == history.Try):
		s.Counts.Refused++
	}
}

// event takes an entry that no client invoked.
func (s *surveyor) event(op *history.Op) {
	switch op.F {
	case history.Fault, history.Heal:
		s.addFault(op)
	case history.Stall:
		s.addStall(op)
	case history.Probe:
		s.addLook(op)
		l := s.Probed[op.Lock]
		if l == nil {
			l = &Probed{Nodes: map[string]bool{}}
			s.Probed[op.Lock] = l
		}
		l.Nodes[op.Node] = true
		if op.Holds != nil {
			l.Looks++
		}
		for _, owner := range op.Owners() {
			key := OwnerKey{op.Lock, owner}
			o, seen := s.Owners[key]
			if !seen {
				o.First = op.Time
			}
			o.Last = op.Time
			s.Owners[key] = o
		}
		s.Expiries.add(op)
	case history.Crash:
		s.crashed[op.Process] = op.Time
		s.Crashes = append(s.Crashes, op)
		c := s.Client(op)
		s.lived[op], s.waited[op] = s.alive[c], s.waitsFor(c)
		if at, ok := op.Began(); ok {
			s.lived[op] = at
		}
		for lease, holder := range s.holders {
			if holder == c {
				delete(s.holders, lease)
			}
		}
	}
}

// Client returns the client of an entry. Histories of other tools may name no client. Then
// each process is a client of its own, with a negative number.
func (s *Run) Client(op *history.Op) int {
	if c := s.ClientOf[op.Process]; c != 0 {
		return c
	}
	return -op.Process - 1
}

// SameLife reports whether a client was not killed between its process from, which stands in an
// owner value, and its process to, which made a call.
func (s *Run) SameLife(client, from, to int) bool {
	return to >= from && !slices.ContainsFunc(s.Crashes, func(op *history.Op) bool {
		return s.Client(op) == client && op.Process >= from && op.Process < to
	})
}

// newSurveyor begins the first reading of a run that declared o.
func newSurveyor(o Options) *surveyor {
	run := &Run{
		Options: o, ClientOf: map[int]int{}, Clients: map[int]bool{}, crashed: map[int]int64{}, Probed: map[string]*Probed{}, Owners: map[OwnerKey]OwnerSeen{},
		never: map[int]bool{}, late: map[int64]int{}, Repeated: map[string]map[uint64]int{}, Unordered: map[Place]bool{},
		Declared: map[string]history.FaultTraits{}, lived: map[*history.Op]int64{}, waited: map[*history.Op]string{},
	}
	return &surveyor{Run: run, open: map[int]begun{}, holders: map[int64]int{}, tokens: map[string]uint64{}, freed: map[string]int64{}, lastGrant: math.MinInt64, alive: map[int]int64{}}
}
