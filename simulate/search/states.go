package search

import (
	"hash/fnv"
	"slices"
	"strings"

	"locktorture/history"
)

// States are those that histories have shown: who believes to hold the lock, what the servers
// say, which faults are in place; three of them in a row.
type States map[uint64]bool

// Add adds those of a history, and returns how many are new.
func (s States) Add(h history.History) (fresh int) {
	v := view{believers: map[int]bool{}, keys: map[string]string{}, faults: map[int]string{}}
	var before [2]uint64
	for i := range h {
		now, known := v.after(&h[i])
		if !known || now == before[1] {
			continue
		}
		gram := (before[0]*31+before[1])*1000003 + now
		before[0], before[1] = before[1], now
		if !s[gram] {
			s[gram] = true
			fresh++
		}
	}
	return fresh
}

// Union adds the states of another.
func (s States) Union(t States) {
	for g := range t {
		s[g] = true
	}
}

// A view is what there is to see at a moment. Clients have no numbers in it: the last to be
// granted is one, all others another.
type view struct {
	believers map[int]bool
	last      int
	keys      map[string]string // owner by server
	faults    map[int]string
}

// after is the state after an entry; false: it changes none.
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

// owners is how many owners the servers name.
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
