package search

import (
	"hash/fnv"
	"maps"
	"slices"
	"strings"

	"locktorture/history"
)

// States is the set of states that histories have shown: the clients that believe to hold the lock,
// the owners on the servers, the faults in place; each element combines three successive states.
type States map[uint64]bool

// StatesOf returns the states of a history.
func StatesOf(h history.History) States {
	s := States{}
	v := view{believers: map[int]bool{}, keys: map[string]string{}, faults: map[int]string{}}
	var before [2]uint64
	for i := range h {
		now, known := v.after(&h[i])
		if !known || now == before[1] {
			continue
		}
		gram := (before[0]*31+before[1])*1000003 + now
		before[0], before[1] = before[1], now
		s[gram] = true
	}
	return s
}

// Add adds the states of another set and returns the number of new ones.
func (s States) Add(t States) (fresh int) {
	before := len(s)
	maps.Copy(s, t)
	return len(s) - before
}

// A view is the state at a moment of a history. Clients are not numbered in it, except that the one
// with the latest grant is distinguished.
type view struct {
	believers map[int]bool
	last      int
	keys      map[string]string // server → owner
	faults    map[int]string
}

// after returns the hash of the state after an entry; false if the entry changes nothing.
func (v *view) after(op *history.Op) (uint64, bool) {
	switch {
	case op.F == history.Acquire && op.Type == history.OK:
		v.believers[op.Client], v.last = true, op.Client
	case op.F == history.Release && op.Type == history.Invoke, op.F == history.Lost, op.F == history.Crash:
		delete(v.believers, op.Client)
	case op.F == history.Probe:
		v.keys[op.Node] = op.Value
	case op.F == history.Fault:
		v.faults[op.Fault] = op.Kind()
	case op.F == history.Heal:
		delete(v.faults, op.Fault)
	default:
		return 0, false
	}
	return v.hash(op), true
}

func (v *view) hash(op *history.Op) uint64 {
	h := fnv.New64a()
	h.Write([]byte{byte(len(v.believers)), yes(v.believers[v.last]), byte(v.owners()), yes(op.Client == v.last)})
	var faults []string
	for _, f := range v.faults {
		faults = append(faults, f)
	}
	slices.Sort(faults)
	h.Write([]byte(string(op.F) + string(op.Type) + strings.Join(faults, ",")))
	return h.Sum64()
}

// owners returns the number of different owners on the servers.
func (v *view) owners() int {
	var all []string
	for _, o := range v.keys {
		if o != "" && !slices.Contains(all, o) {
			all = append(all, o)
		}
	}
	return len(all)
}

func yes(b bool) byte {
	if b {
		return 1
	}
	return 0
}
