package linear

import "fmt"

const byChain = "chain"

// judgeFetchAdd decides a sum to which operations add one. Each is answered with the sum
// before it, so the answers give the order. Where an answer is missing, an addition of unknown
// outcome must have happened. Those called first are the best choice.
func judgeFetchAdd(t *trace) Verdict {
	var links []link
	var maybe []int32
	top, topOp := int64(0), int32(-1) // how many additions there must have been, and the operation that says so
	seen := map[int64]int32{}
	for _, i := range t.order {
		o := &t.ops[i]
		switch {
		case o.F == Read && o.Status == Pending:
			continue
		case o.F == FetchAdd && o.Delta == 1 && o.Status == Pending:
			maybe = append(maybe, i)
			continue
		case (o.F == Read || o.F == FetchAdd && o.Delta == 1) && o.Status == OK:
		default:
			return unknown(byChain, "only reads, and additions of one that return a sum, are supported, not "+o.String())
		}
		if o.Number < 0 || o.Number > int64(len(t.ops)) {
			return invalid(byChain, fmt.Sprintf("%v, but there are only %d operations", *o, len(t.ops)), int(i))
		}
		needs, place := o.Number, 2*o.Number+1
		if o.F == FetchAdd {
			needs, place = o.Number+1, 2*o.Number+2
			if j, ok := seen[o.Number]; ok {
				return invalid(byChain, fmt.Sprintf("two additions found the same sum: %v and %v", t.ops[j], *o), int(j), int(i))
			}
			seen[o.Number] = i
		}
		if needs > top {
			top, topOp = needs, i
		}
		links = append(links, t.linkOf(i, place))
	}
	t.sortByCall(maybe)
	for n := int64(0); n < top; n++ {
		if _, ok := seen[n]; ok {
			continue
		}
		if len(maybe) == 0 {
			return invalid(byChain, fmt.Sprintf("nobody can have added to the sum %d, but %v is possible only after such an addition", n, t.ops[topOp]), int(topOp))
		}
		links = append(links, t.linkOf(maybe[0], 2*n+2))
		maybe = maybe[1:]
	}
	if v := linked(t, byChain, links, nil); v != nil {
		return *v
	}
	return valid(byChain)
}
