package checker

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"locktorture/history"
)

// staleSight is the age from which a look at a node no longer tells who owns
// the lock there: the node may be down.
const staleSight = int64(time.Second)

// A tenure is a time in which the servers were seen to keep a lock in the
// name of one owner; of a lock on several nodes, on all that answered.
type tenure struct {
	owner  string // "" for free, or no agreement
	from   int64  // first sight
	last   int64  // last sight
	until  int64  // least expiry seen at the last sight of each node, Never for none
	after  int64  // first sight of something else; 0: none
	sights []*history.Op
}

// tenures reads the probes of a lock.
func (l *lockView) tenures() []*tenure {
	nodes := nodesOf(l.probes)
	latest := make(map[string]*history.Op)
	var out []*tenure
	var now *tenure
	for _, p := range l.probes {
		latest[p.Node] = p
		owner, until := agreed(latest, len(nodes), p.Time)
		if now == nil || owner != now.owner {
			if now != nil {
				now.after = p.Time
			}
			now = &tenure{owner: owner, from: p.Time}
			out = append(out, now)
		}
		now.last, now.until = p.Time, until
		if p.Value == owner {
			now.sights = append(now.sights, p)
		}
	}
	return out
}

// agreed returns the owner that all nodes agree on that were looked at of
// late, if they are most of them, and the least expiry seen. Nothing less will
// do: which nodes count is not known, and replicas that were cut off from their
// primary agree with each other on what is over.
func agreed(latest map[string]*history.Op, nodes int, t int64) (owner string, until int64) {
	fresh := 0
	for _, p := range latest {
		switch {
		case t-p.Time > staleSight:
			continue
		case fresh == 0:
			owner, until = p.Value, p.UntilMax
		case p.Value != owner:
			return "", 0
		}
		fresh++
		until = min(until, p.UntilMax)
	}
	if 2*fresh <= nodes {
		return "", 0
	}
	return owner, until
}

// probeTakes bounds the time between a look at a server and its record.
const probeTakes = int64(100 * time.Millisecond)

// ownerAt returns the lease of a lock that an owner value stood for at t: the
// last one that had been called for. Some locks use a new value for every
// grant, others one for a session; reused tells which.
func (v *view) ownerAt(lock, owner string, t int64) (g *lease, reused bool) {
	all := v.owners[ownerKey{lock, owner}]
	i, _ := slices.BinarySearchFunc(all, t+1, func(l *lease, at int64) int { return cmp.Compare(l.inv.Time, at) })
	if i == 0 {
		return nil, false
	}
	return all[i-1], len(all) > 1
}

// An ownerKey is a lock and the value under which a server keeps its owner.
type ownerKey struct{ lock, owner string }

// nextCall is the time at which a lease's client asked for the lock again,
// from which on an owner value that is reused proves nothing.
func (v *view) nextCall(g *lease, reused bool) int64 {
	if !reused {
		return math.MaxInt64
	}
	waits := v.byName[g.lock].waits
	i, _ := slices.BinarySearchFunc(waits, g.inv.Time+1, func(w *wait, at int64) int { return cmp.Compare(w.call, at) })
	for ; i < len(waits); i++ {
		if waits[i].client == g.client {
			return waits[i].call
		}
	}
	return math.MaxInt64
}

// ownerProcess reads the process number in an owner value, "p<process>:<random>".
func ownerProcess(owner string) (process int, ok bool) {
	number, _, ok := strings.Cut(strings.TrimPrefix(owner, "p"), ":")
	if !ok || !strings.HasPrefix(owner, "p") {
		return 0, false
	}
	process, err := strconv.Atoi(number)
	return process, err == nil
}
