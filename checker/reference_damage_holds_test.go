package checker_test

import (
	"math/rand/v2"
	"slices"

	"locktorture/checker"
	"locktorture/history"
)

// A keeper is the servers of a history: it lists who holds what, and is wrong now and then.
type keeper struct {
	r     *rand.Rand
	o     checker.Options
	holds map[string][]history.Hold // by lock
	lease map[int64]string          // the owner of each
}

// listed is a history with other looks at its servers: at all who hold a lock.
func listed(r *rand.Rand, h history.History, o checker.Options) (out history.History) {
	k := &keeper{r, o, map[string][]history.Hold{}, map[int64]string{}}
	locks := []string{}
	for _, op := range h {
		if op.F == history.Probe {
			continue
		}
		out = append(out, op)
		k.takes(&op)
		if op.Lock != "" && !slices.Contains(locks, op.Lock) {
			locks = append(locks, op.Lock)
		}
		for _, lock := range locks {
			if r.IntN(4) == 0 && op.F != history.End {
				out = append(out, k.look(lock, op.Time))
			}
		}
	}
	return out
}

// takes carries out what an entry says.
func (k *keeper) takes(op *history.Op) {
	switch {
	case isGrant(op) && op.Value != "":
		k.end(op.Lock, op.Value) // of a name that comes again
		hold := history.Hold{Owner: op.Value, Mode: op.Mode, Permits: op.Permits, Until: op.Time + int64(k.o.TTL)}
		if k.r.IntN(5) == 0 && hold.Permits > 1 {
			hold.Permits--
		}
		if k.r.IntN(8) == 0 {
			hold.Until = history.Never
		}
		k.holds[op.Lock], k.lease[op.Lease] = append(k.holds[op.Lock], hold), op.Value
	case op.F == history.Release && op.Type == history.OK:
		k.end(op.Lock, k.lease[op.Lease])
		if others := k.holds[op.Lock]; len(others) > 0 && k.r.IntN(4) == 0 {
			k.end(op.Lock, others[k.r.IntN(len(others))].Owner)
		}
	}
}

func (k *keeper) end(lock, owner string) {
	k.holds[lock] = slices.DeleteFunc(k.holds[lock], func(h history.Hold) bool { return h.Owner == owner })
}

func (k *keeper) look(lock string, at int64) history.Op {
	op := history.Op{Time: at, Process: history.Harness, Type: history.Info, F: history.Probe, Lock: lock, Node: "n1"}
	if op.UntilMin = max(0, at-k.r.Int64N(20*ms)*int64(k.r.IntN(2))); k.r.IntN(30) == 0 {
		op.UntilMin = 0
	}
	if k.r.IntN(40) == 0 {
		op.Node = "n2"
	}
	for i := range k.holds[lock] {
		h := &k.holds[lock][i]
		if h.Until < history.Never && k.r.IntN(3) == 0 {
			h.Until += k.r.Int64N(150 * ms)
		}
		if h.Permits > 1 && k.r.IntN(40) == 0 {
			h.Permits--
		}
	}
	op.Holds = append([]history.Hold{}, k.holds[lock]...)
	return op
}
