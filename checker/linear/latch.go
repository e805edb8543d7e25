package linear

import (
	"cmp"
	"fmt"
	"slices"
)

const byCount = "count"

// judgeLatch decides a latch in O(n log n). The latch cannot open before as many count-downs
// as it takes were called, and it has to be open when so many have returned. Between these two
// moments it may have opened at any time. So its opening is put as late as the waits that
// passed allow, and that has to be late enough for the waits that were strictly refused. A
// count-down of unknown outcome may have counted or not: it has a call and no return.
func judgeLatch(t *trace) Verdict {
	l := readLatch(t)
	opens, need := int64(Never), t.opt.Parties
	if len(l.returns) >= need {
		opens = t.ops[l.returns[need-1]].Return
	}
	if len(l.passed) > 0 {
		first := l.passed[0]
		if len(l.calls) < need || t.ops[l.calls[need-1]].Call > t.ops[first].Return {
			return tooEarly(t, first, l.calls)
		}
		opens = min(opens, t.ops[first].Return)
	}
	for _, i := range l.refused {
		if o := &t.ops[i]; o.Call > opens {
			return invalid(byCount, fmt.Sprintf("%v, although the latch was open at %d", *o, opens), append(l.openedBy(t, opens), int(i))...)
		}
	}
	return valid(byCount)
}

// latched holds the operations of a latch.
type latched struct {
	calls   []int32 // count-downs, by call
	returns []int32 // count-downs of known outcome, by return
	passed  []int32 // waits that passed, by return
	refused []int32 // waits that were strictly refused
}

func readLatch(t *trace) (l latched) {
	for _, i := range t.order {
		switch o := &t.ops[i]; {
		case latchSpec.drop(&t.opt, o):
		case o.F == Await && o.Status == Refused:
			l.refused = append(l.refused, i)
		case o.F == Await:
			l.passed = append(l.passed, i)
		default:
			l.calls = append(l.calls, i)
			if o.Status == OK {
				l.returns = append(l.returns, i)
			}
		}
	}
	t.sortByCall(l.calls)
	byReturn := func(a, b int32) int { return cmp.Compare(t.ops[a].Return, t.ops[b].Return) }
	slices.SortStableFunc(l.returns, byReturn)
	slices.SortStableFunc(l.passed, byReturn)
	return l
}

// tooEarly returns the verdict on a wait that passed before enough count-downs had been
// called. The count-downs that had been called are its witness.
func tooEarly(t *trace, first int32, calls []int32) Verdict {
	o := &t.ops[first]
	witness := []int{int(first)}
	for _, i := range calls {
		if t.ops[i].Call <= o.Return {
			witness = append(witness, int(i))
		}
	}
	return invalid(byCount, fmt.Sprintf("%v, although at most %d of %d count-downs can have happened by then", *o, len(witness)-1, t.opt.Parties), witness...)
}

// openedBy lists what proves that a latch was open at a time.
func (l *latched) openedBy(t *trace, opens int64) (witness []int) {
	for _, i := range l.passed {
		if t.ops[i].Return == opens {
			return []int{int(i)}
		}
	}
	for _, i := range l.returns {
		if t.ops[i].Return <= opens {
			witness = append(witness, int(i))
		}
	}
	return witness
}
