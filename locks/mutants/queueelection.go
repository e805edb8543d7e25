package mutants

import (
	"context"
	"fmt"
	"net/rpc"
	"slices"
	"sync"
	"time"

	"locktorture/locks"
)

// The switches of an election. ObserverCaches acts on the client, the others on the server.
const (
	ResignsTwice   Switch = "resigns-twice"   // one resignation in 20 is executed twice, and also ends the next leadership
	TermRepeats    Switch = "term-repeats"    // one leader in 30 gets the term of the leader before
	TellsLoser     Switch = "tells-loser"     // one candidate in 20 is notified of its victory although the next one leads
	ObserverCaches Switch = "observer-caches" // one observation in ten is answered from a cache that is renewed once a second
)

const (
	loserDelay = 50 * time.Millisecond // delay of the notice to a candidate that has lost
	cacheTime  = time.Second           // life of a cached answer
)

// A QueueElection is an election of a QueueServer: the head of the queue leads. A leadership ends
// with its connection.
type QueueElection struct {
	locks.NotExclusive
	queue *Queue

	mu sync.Mutex
	// cache maps an election to its cached answer.
	cache map[string]cachedLeader
}

// A cachedLeader is an answer of the server.
type cachedLeader struct {
	value string
	term  uint64
	at    time.Time
}

var (
	_ locks.Elector  = (*QueueElection)(nil)
	_ locks.Observer = (*QueueElection)(nil)
)

// NewQueueElection returns a candidate; it connects when it is first used.
func NewQueueElection(c Config) *QueueElection {
	return &QueueElection{queue: NewQueue(c), cache: map[string]cachedLeader{}}
}

// QueueElectionTraits returns the traits of the election that NewQueueElection makes.
func QueueElectionTraits() locks.Traits {
	t := QueueTraits()
	t.Kind, t.Model, t.Observed = locks.Election, "election", true
	return t
}

// Campaign waits in the queue.
func (e *QueueElection) Campaign(ctx context.Context, name, value string) (locks.Lease, error) {
	return e.queue.take(ctx, QueueCall{Name: name, Owner: value})
}

// Leader queries the server for the leader.
func (e *QueueElection) Leader(ctx context.Context, name string) (string, uint64, error) {
	c, err := e.queue.connect(ctx)
	if err != nil {
		return "", 0, err
	}
	r := &QueueReply{}
	asked := c.Go("Queue.Holder", QueueCall{Name: name}, r, make(chan *rpc.Call, 1))
	select {
	case <-asked.Done:
	case <-ctx.Done():
		return "", 0, fmt.Errorf("observe: %w", ctx.Err())
	}
	if asked.Error != nil {
		return "", 0, fmt.Errorf("observe: %w", asked.Error)
	}
	seen := e.cached(name, cachedLeader{r.Owner, r.Token, time.Now()})
	return seen.value, seen.term, nil
}

// cached returns the present answer, or the cached one if the fault fires.
func (e *QueueElection) cached(name string, now cachedLeader) cachedLeader {
	e.mu.Lock()
	defer e.mu.Unlock()
	old, ok := e.cache[name]
	if !ok || now.at.Sub(old.at) > cacheTime {
		e.cache[name] = now
		return now
	}
	if old.term != now.term && e.queue.cfg.doesIn(ObserverCaches, 10) {
		return old
	}
	return now
}

// Close drops the connection; the server elects the next candidate.
func (e *QueueElection) Close() error { return e.queue.Close() }

// resigned executes a release a second time, if the fault fires. The caller holds mu.
func (s *QueueServer) resigned(l *queueLock) {
	if len(l.queue) > 0 && len(l.holders) > 0 && s.cfg.doesIn(ResignsTwice, 20) {
		l.holders = nil
		s.next(l)
	}
}

// loses replaces a leader that was not notified yet by the next candidate in the queue, if the
// fault fires, and waits until the next candidate can know of its victory.
func (s *QueueServer) loses(l *queueLock, w *queueWaiter, c *queueSession) {
	s.mu.Lock()
	i := slices.Index(l.holders, w)
	lost := i >= 0 && len(l.queue) > 0 && s.cfg.doesIn(TellsLoser, 20)
	if lost {
		l.holders = slices.Delete(l.holders, i, i+1)
		s.next(l)
	}
	s.mu.Unlock()
	if lost {
		select {
		case <-time.After(loserDelay):
		case <-c.cut:
		}
	}
}
