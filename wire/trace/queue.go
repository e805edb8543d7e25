package trace

import "time"

// soon bounds the time that a row waits for the delivery of its message. A message that stays in
// the proxy for longer is printed in two rows.
const soon = int64(2 * time.Millisecond)

// A queue keeps rows until the fate of their messages is known, or for a limited time, and yields
// them in the order of time.
type queue struct {
	yield func(*Row) bool // returns false to stop
	rows  []*Row
	over  bool
}

func (q *queue) add(r *Row) { q.rows = append(q.rows, r) }

// until yields the rows that are old enough at a time.
func (q *queue) until(now int64) bool {
	for len(q.rows) > 0 && q.rows[0].Time+soon <= now && !q.over {
		q.next()
	}
	return !q.over
}

// rest yields all rows.
func (q *queue) rest() {
	for len(q.rows) > 0 && !q.over {
		q.next()
	}
}

func (q *queue) next() {
	r := q.rows[0]
	q.rows = q.rows[1:]
	q.over = !q.yield(r)
}

// fate records the fate of a row's message at a time: in the row itself if it still waits,
// otherwise in a row of its own.
func (q *queue) fate(r *Row, at int64, lost bool) {
	if r.Time+soon > at {
		r.Left, r.Lost = at, lost
		if lost {
			r.Left = 0
		}
		return
	}
	later := *r
	later.Event, later.Time, later.Came, later.Left = Later, at, r.Time, at
	if lost {
		later.Event, later.Left = Lost, 0
	}
	q.add(&later)
}
