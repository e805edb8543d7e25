package checker_test

import (
	"container/heap"
	"math/rand/v2"
	"testing"

	"locktorture/checker"
	"locktorture/history"
)

// A discipline picks the waiter that a freed lock goes to; the queue is in the order in which
// requests have arrived; -1 is nobody.
type discipline func(r *rand.Rand, queue []int) int

func fifo(_ *rand.Rand, _ []int) int        { return 0 }
func lifo(_ *rand.Rand, queue []int) int    { return len(queue) - 1 }
func anyone(r *rand.Rand, queue []int) int  { return r.IntN(len(queue)) }
func notTheFirst(_ *rand.Rand, q []int) int { return skip(q, 1) }
func seldomOne(r *rand.Rand, queue []int) int { // a tenth of its share
	if i := r.IntN(len(queue)); queue[i] != 1 || r.IntN(10) == 0 {
		return i
	}
	return max(0, skip(queue, 1))
}

// skip is the first in the queue that is not a client, -1 if there is none.
func skip(queue []int, client int) int {
	for i, c := range queue {
		if c != client {
			return i
		}
	}
	return -1
}

// A moment is something that happens in a virtual run.
type moment struct {
	at int64
	do func()
}

type moments []moment

func (m moments) Len() int           { return len(m) }
func (m moments) Less(i, j int) bool { return m[i].at < m[j].at }
func (m moments) Swap(i, j int)      { m[i], m[j] = m[j], m[i] }
func (m *moments) Push(x any)        { *m = append(*m, x.(moment)) }
func (m *moments) Pop() any {
	old := *m
	last := old[len(old)-1]
	*m = old[:len(old)-1]
	return last
}

// A virtualLock serves clients by a discipline over a network that is mostly quick: one
// message in two hundred takes up to 240 ms.
type virtualLock struct {
	r      *rand.Rand
	pick   discipline
	now    int64
	ahead  moments
	queue  []int
	taken  bool
	leases int64
	h      history.History
}

func (s *virtualLock) after(d int64, do func()) { heap.Push(&s.ahead, moment{s.now + d, do}) }

func (s *virtualLock) trip() int64 {
	if s.r.IntN(200) == 0 {
		return s.r.Int64N(240 * ms)
	}
	return s.r.Int64N(ms)
}

func (s *virtualLock) record(client int, f history.F, t history.Type, lease int64) {
	s.h = append(s.h, history.Op{Time: s.now, Process: client, Client: client, F: f, Type: t, Lock: "L", Lease: lease})
}

func (s *virtualLock) call(client int) {
	s.record(client, history.Acquire, history.Invoke, 0)
	s.after(s.trip(), func() { s.queue = append(s.queue, client); s.serve() })
}

func (s *virtualLock) serve() {
	if s.taken || len(s.queue) == 0 {
		return
	}
	i := s.pick(s.r, s.queue)
	if i < 0 {
		return
	}
	client := s.queue[i]
	s.queue = append(s.queue[:i:i], s.queue[i+1:]...)
	s.taken = true
	s.after(s.trip(), func() {
		s.leases++
		lease := s.leases
		s.record(client, history.Acquire, history.OK, lease)
		s.after(s.r.Int64N(5*ms), func() { s.release(client, lease) })
	})
}

func (s *virtualLock) release(client int, lease int64) {
	s.record(client, history.Release, history.Invoke, lease)
	s.after(s.trip(), func() {
		s.taken = false
		s.serve()
		s.after(s.trip(), func() {
			s.record(client, history.Release, history.OK, lease)
			s.after(s.r.Int64N(2*ms), func() { s.call(client) })
		})
	})
}

// run is the history of n clients in so many virtual seconds.
func (s *virtualLock) run(clients int, seconds int64) history.History {
	for c := 1; c <= clients; c++ {
		s.after(s.r.Int64N(ms), func() { s.call(c) })
	}
	for len(s.ahead) > 0 && s.ahead[0].at < seconds*1000*ms {
		m := heap.Pop(&s.ahead).(moment)
		s.now = m.at
		m.do()
	}
	return s.h
}

// TestDisciplines: of locks whose requests are late at times, the fair one is never unfair and
// no lock that gives everybody a share ever starves one.
func TestDisciplines(t *testing.T) {
	const never, perhaps, always = 0, 1, 2
	for _, c := range []struct {
		name            string
		pick            discipline
		unfair, starved int
	}{
		{"in order", fifo, never, never},
		{"the last first", lifo, always, perhaps},
		{"by chance: nobody is passed over for long", anyone, perhaps, never},
		{"one with a tenth of its share", seldomOne, always, never},
		// Who is never served has not shown either that it is connected: that is starvation.
		{"one never", notTheFirst, perhaps, always},
	} {
		t.Run(c.name, func(t *testing.T) {
			for seed := range uint64(10) {
				s := &virtualLock{r: rand.New(rand.NewPCG(seed, 7)), pick: c.pick}
				h := s.run(5, 30)
				if err := history.Validate(h); err != nil {
					t.Fatal(err)
				}
				r := checker.Check(h, checker.Options{Model: "mutex", FreeWithin: 1e9, Fair: true}, nil)
				for kind, want := range map[string]int{"unfair": c.unfair, "starved": c.starved} {
					n := r.Counts.Anomalies[kind]
					if n == 0 && want == always || n > 0 && want == never {
						t.Errorf("seed %d: %d %s in %d grants", seed, n, kind, r.Counts.Grants)
					}
				}
			}
		})
	}
}
