package linear

import "fmt"

// A link is an operation whose place in the order is known. Places are
// counted; at an odd place the order of operations is free.
type link struct {
	place  int64
	lo, hi int64
	op     int32
}

// linked finds an operation that had returned before another one, which comes before it in the
// order, can have happened. Points x1 ≤ x2 ≤ … with xj in [lj, hj] exist if and only if every
// prefix maximum of the l is at most its h. points, if not nil, is called with the least point
// of each link.
func linked(t *trace, name string, links []link, points func(*link, int64)) *Verdict {
	least, from := int64(-1<<63), int32(-1)
	order := byKey(len(links), func(i int32) int64 { return links[i].place })
	for k := 0; k < len(order); {
		place := links[order[k]].place
		next, nextFrom := least, from
		for ; k < len(order) && links[order[k]].place == place; k++ {
			l := &links[order[k]]
			if place%2 == 0 {
				least, from = next, nextFrom
			}
			if least > l.hi {
				v := invalid(name, fmt.Sprintf("%v had returned before %v was called, but the answers show the opposite order", t.ops[l.op], t.ops[from]), int(from), int(l.op))
				return &v
			}
			if points != nil {
				points(l, max(least, l.lo))
			}
			if l.lo > next {
				next, nextFrom = l.lo, l.op
			}
		}
		least, from = next, nextFrom
	}
	return nil
}

// linkOf returns an operation at a place as a link.
func (t *trace) linkOf(i int32, place int64) link {
	return link{place, t.ops[i].Call, t.ops[i].end(), i}
}
