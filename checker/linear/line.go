package linear

// A line holds the calls and returns of operations in the order of time. It is a doubly linked
// list from which an operation can be lifted and put back.
type line struct {
	next, prev []int32 // by place; the head and the tail are the last two
	what       []int32 // at a place: the operation called, or -1 - the one that returns
	call, ret  []int32 // places of an operation
}

// newLine lines up operations that are in the order of their calls. At one
// stamp calls come first: intervals are closed.
func newLine(evs []event) line {
	n := len(evs)
	l := line{
		next: make([]int32, 2*n+2), prev: make([]int32, 2*n+2),
		what: make([]int32, 2*n), call: make([]int32, n), ret: make([]int32, n),
	}
	byReturn := byKey(n, func(i int32) int64 { return evs[i].Return })
	for place, c, r := 0, 0, 0; place < 2*n; place++ {
		if c < n && evs[c].Call <= evs[byReturn[r]].Return {
			l.what[place] = int32(c)
			l.call[c] = int32(place)
			c++
			continue
		}
		l.what[place] = -1 - byReturn[r]
		l.ret[byReturn[r]] = int32(place)
		r++
	}
	head, tail := int32(2*n), int32(2*n+1)
	at := head
	for place := range int32(2 * n) {
		l.next[at], l.prev[place] = place, at
		at = place
	}
	l.next[at], l.prev[tail] = tail, at
	return l
}

// first returns the first place that is left.
func (l *line) first() int32 { return l.next[len(l.next)-2] }

// firstReturn returns the first place with a return; some operation must be left.
func (l *line) firstReturn() int32 {
	at := l.first()
	for l.what[at] >= 0 {
		at = l.next[at]
	}
	return at
}

func (l *line) lift(i int32) { l.cut(l.call[i]); l.cut(l.ret[i]) }

func (l *line) unlift(i int32) { l.put(l.ret[i]); l.put(l.call[i]) }

func (l *line) cut(at int32) {
	l.next[l.prev[at]] = l.next[at]
	l.prev[l.next[at]] = l.prev[at]
}

func (l *line) put(at int32) {
	l.next[l.prev[at]] = at
	l.prev[l.next[at]] = at
}
