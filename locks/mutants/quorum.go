package mutants

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"locktorture/locks"
	"locktorture/locks/attempt"
)

// The switches of a Quorum.
const (
	TwoOfFive     Switch = "two-of-five"     // two nodes are enough
	SilentNodeYes Switch = "silent-node-yes" // a node that does not answer counts as a grant
)

// nodeTime is the default of Config.NodeTime.
const nodeTime = 100 * time.Millisecond

//go:embed raise.lua
var raiseSource string

var raiseScript = goredis.NewScript(raiseSource)

// A Quorum is a lock that uses the key of Key on a majority of several Redis servers. Its token is
// the highest counter of the nodes that granted, which then all store it: two quorums share a node,
// so the next grant finds it there. Its twin is correct as long as the nodes keep their data and
// their clocks.
type Quorum struct {
	cfg   Config
	nodes []*goredis.Client
	need  int
}

var _ locks.Locker = (*Quorum)(nil)

// NewQuorum returns a client; it connects when it is first used.
func NewQuorum(c Config) *Quorum {
	q := &Quorum{cfg: c.withDefaults(), need: len(c.Addrs)/2 + 1}
	for _, addr := range c.Addrs {
		q.nodes = append(q.nodes, dial(addr, c.Access))
	}
	return q
}

// QuorumTraits returns the lock's traits.
func QuorumTraits() locks.Traits {
	t := KeyTraits()
	t.Validity, t.LeastTTL = "TTL − elapsed − drift", time.Second
	// Two clients may split the nodes between them and have to try again.
	t.FreeWithin = func(ttl time.Duration) time.Duration { return ttl + nodeTime }
	t.Clock = "each Redis server's wall clock"
	return t
}

// Close drops the connections.
func (q *Quorum) Close() error {
	var errs []error
	for _, n := range q.nodes {
		errs = append(errs, n.Close())
	}
	return errors.Join(errs...)
}

// A vote is the answer of one node; answered is false if there was none.
type vote struct {
	n        uint64
	answered bool
}

// ask runs a script on every node that the filter to selects, on all of them concurrently.
func (q *Quorum) ask(ctx context.Context, s *goredis.Script, key func(string) string, to func(node int) bool, args ...any) []vote {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), q.cfg.NodeTime)
	defer cancel()
	votes, done := make([]vote, len(q.nodes)), make(chan struct{})
	asked := 0
	for i, n := range q.nodes {
		if to != nil && !to(i) {
			continue
		}
		asked++
		go func() {
			v, err := s.Run(ctx, n, []string{key("lock:"), key("token:")}, args...).Uint64()
			votes[i] = vote{v, err == nil}
			done <- struct{}{}
		}()
	}
	for range asked {
		<-done
	}
	return votes
}

// count returns the number of votes with a property.
func count(votes []vote, of func(vote) bool) (n int) {
	for _, v := range votes {
		if of(v) {
			n++
		}
	}
	return n
}

func granted(v vote) bool { return v.answered && v.n > 0 }
func silent(v vote) bool  { return !v.answered }

// Acquire makes rounds until one is granted or ctx is done.
func (q *Quorum) Acquire(ctx context.Context, name string) (locks.Lease, error) {
	doubt := false
	l, err := spin(ctx, q.cfg.Clock, func() (*quorumLease, error) {
		l, unsure := q.round(ctx, name)
		doubt = doubt || unsure
		if l == nil {
			return nil, errTaken
		}
		return l, nil
	})
	switch {
	case err != nil && doubt:
		return nil, errors.New("acquire is in doubt: some nodes did not answer")
	case err != nil:
		return nil, err
	}
	return l, nil
}

// round asks all nodes once. After a refusal it releases the keys that it got; unsure reports that
// a node may still store one.
func (q *Quorum) round(ctx context.Context, name string) (_ *quorumLease, unsure bool) {
	l := &quorumLease{quorum: q}
	l.Name, l.Value = name, q.cfg.Owner+":"+unique()
	sent := q.cfg.Clock.Now()
	got := q.ask(ctx, acquireScript, l.key, nil, l.Value, q.cfg.TTL.Milliseconds())
	for _, v := range got {
		if granted(v) {
			l.Number = max(l.Number, v.n)
		}
	}
	if q.enough(got) {
		raised := q.ask(ctx, raiseScript, func(kind string) string { return l.key("token:") }, func(i int) bool { return granted(got[i]) }, l.Number)
		l.End = sent.Add(q.cfg.TTL - q.cfg.TTL/100 - 2*time.Millisecond)
		if q.enough(raised) && q.cfg.Clock.Now().Before(l.End) {
			return l, false
		}
	}
	freed := q.ask(ctx, releaseScript, l.key, nil, l.Value)
	return nil, count(got, silent) > 0 || count(freed, silent) > 0
}

// enough reports whether the votes form a quorum.
func (q *Quorum) enough(votes []vote) bool {
	yes := count(votes, granted)
	switch {
	case q.cfg.Switch == SilentNodeYes && count(votes, silent) > 0 && q.cfg.does(SilentNodeYes):
		yes += count(votes, silent)
	case yes == 2 && q.need == 3 && q.cfg.does(TwoOfFive):
		return true
	}
	return yes >= q.need
}

// A quorumLease is a quorum of keys with this owner's value. Its token is the highest counter of
// the nodes that granted.
type quorumLease struct {
	attempt.FencedGrant
	quorum *Quorum
}

var (
	_ locks.Bounded = (*quorumLease)(nil)
	_ locks.Fenced  = (*quorumLease)(nil)
	_ locks.Owned   = (*quorumLease)(nil)
)

func (l *quorumLease) key(kind string) string { return locks.Key(kind, l.Name) }

// Release deletes the keys. A key on a node that did not answer ends with its TTL.
func (l *quorumLease) Release(ctx context.Context) error {
	q := l.quorum
	freed := q.ask(ctx, releaseScript, l.key, nil, l.Value)
	had, quiet := count(freed, granted), count(freed, silent)
	switch {
	case had >= q.need:
		return nil
	case had+quiet < q.need:
		return fmt.Errorf("%w: %d nodes had it", locks.ErrNotHeld, had)
	}
	return fmt.Errorf("release: %d nodes did not answer", quiet)
}
