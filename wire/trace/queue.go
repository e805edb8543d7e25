package trace

import "time"

// soon is how long a row waits for the news that its message went on. What stays in the proxy
// for longer is told in two rows.
const soon = int64(2 * time.Millisecond)

// A queue keeps rows until their fate is known, or for so long, and hands them out in the
// order of time.
type queue struct {
	yield func(*Row) bool // false: no more are wanted
	rows  []*Row
	over  bool
}

func (q *queue) add(r *Row) { q.rows = append(q.rows, r) }

// until hands out what is old enough at that time.
func (q *queue) until(now int64) bool {
	for len(q.rows) > 0 && q.rows[0].Time+soon <= now && !q.over {
		q.next()
	}
	return !q.over
}

// rest hands out everything.
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

// fate says what became of the message of a row at that time: in the row itself if it still
// waits, else in a row of its own.
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
