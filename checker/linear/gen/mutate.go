package gen

import (
	"fmt"
	"math/rand/v2"

	"locktorture/checker/linear"
)

// Mutate damages a history in a few places, in place. What comes out may be
// valid, invalid, or ill-formed where two operations of a process now overlap.
func Mutate(r *rand.Rand, ops []linear.Operation) []linear.Operation {
	for range 1 + r.IntN(3) {
		if len(ops) == 0 {
			return ops
		}
		i := r.IntN(len(ops))
		if r.IntN(8) == 0 {
			ops = append(ops[:i], ops[i+1:]...)
			continue
		}
		mutateOne(r, ops, i)
	}
	return ops
}

func mutateOne(r *rand.Rand, ops []linear.Operation, i int) {
	o, other := &ops[i], &ops[r.IntN(len(ops))]
	switch r.IntN(8) {
	case 0: // another time
		shift := r.Int64N(9) - 4
		o.Call += shift
		o.Return += shift
	case 1: // a shorter or longer one
		if o.Return += r.Int64N(5) - 2; o.Return < o.Call {
			o.Return = o.Call
		}
	case 2:
		o.Token, other.Token = other.Token, o.Token
		o.Permits, other.Permits = other.Permits, o.Permits
		o.TTL, other.TTL = other.TTL, o.TTL
	case 3:
		o.Value, other.Value = other.Value, o.Value
		o.Number, other.Number = other.Number, o.Number
	case 4:
		if o.Number += r.Int64N(3) - 1; o.F == linear.Read && r.IntN(2) == 0 {
			o.Value = fmt.Sprint(r.IntN(5))
		}
	case 5: // another answer
		if o.Status == linear.OK && (o.F == linear.Acquire || o.F == linear.Release || o.F == linear.CAS || o.F == linear.Sell || o.F >= linear.CountDown) {
			o.Status = linear.Refused
		} else if o.Status == linear.Refused {
			o.Status = linear.OK
		}
	case 6: // another owner
		o.Process, other.Process = other.Process, o.Process
	case 7:
		if o.Token += uint64(r.IntN(3)); o.Token > 0 {
			o.Token--
		}
	}
}
