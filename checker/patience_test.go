package checker_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"locktorture/checker"
	"locktorture/history"
)

// A service is a lock server with its clients, played tick by tick of a millisecond: a key
// that expires, polled over a network that takes up to 60 ms each way, or less.
type service struct {
	r       *rand.Rand
	o       checker.Options
	dies    bool // a key of a killed holder never expires
	rude    bool // a waiter that gives up never knows what became of its request
	trip    int64
	now     int64
	tail    int64 // when it began
	end     int64
	h       history.History
	lease   int64
	owner   *caller
	expires int64
	dead    bool
	mail    map[int64][]func() // what arrives when
	callers []*caller
}

// A caller is a client of a service.
type caller struct {
	n, process int
	next       int64 // when it asks again, or is done with its work
	deadline   int64
	inFlight   bool
	call       *history.Op
	held       int64 // lease; 0: none
	releasing  bool
	life       int
}

func (s *service) later(do func()) {
	at := s.now + 1 + s.r.Int64N(s.trip)
	s.mail[at] = append(s.mail[at], do)
}

func (s *service) add(c *caller, op history.Op) history.Op {
	op.Time, op.Lock, op.Process, op.Client = s.now*ms, "L", c.process, c.n
	s.h = append(s.h, op)
	return op
}

// poll sends one request; its answer comes to the same life of the client, or to nobody.
func (s *service) poll(c *caller) {
	life, call := c.life, c.call
	c.inFlight = true
	s.later(func() {
		free := s.owner == nil || s.now >= s.expires
		if free {
			s.owner, s.expires = c, s.now+int64(s.o.TTL)/ms
		}
		s.later(func() {
			if c.life != life || c.call != call {
				return
			}
			c.inFlight = false
			switch {
			case free:
				s.lease++
				c.held, c.call, c.next = s.lease, nil, s.now+1+s.r.Int64N(40)
				s.add(c, history.Op{Type: history.OK, F: call.F, Lease: s.lease})
			case call.F == history.Try:
				s.refuse(c, history.ByServer)
			default:
				c.next = s.now + 1 + s.r.Int64N(int64(s.o.Retry)/ms)
			}
		})
	})
}

func (s *service) refuse(c *caller, by string) {
	s.add(c, history.Op{Type: history.Fail, F: c.call.F, Refused: by})
	c.call, c.next = nil, s.now+s.pause()
}

// pause is short, or so long that nobody asks for a while.
func (s *service) pause() int64 {
	if s.tail == 0 && s.r.IntN(40) == 0 {
		return 3000
	}
	return 1 + s.r.Int64N(30)
}

func (s *service) release(c *caller) {
	life, lease := c.life, c.held
	c.releasing = true
	s.add(c, history.Op{Type: history.Invoke, F: history.Release, Lease: lease})
	s.later(func() {
		if s.owner == c {
			s.owner = nil
		}
		s.later(func() {
			if c.life == life {
				s.add(c, history.Op{Type: history.OK, F: history.Release, Lease: lease})
				c.held, c.releasing, c.next = 0, false, s.now+s.pause()
			}
		})
	})
}

// kill ends a client; what it sent arrives.
func (s *service) kill(c *caller) {
	s.add(c, history.Op{Type: history.Info, F: history.Crash, UntilMin: s.now * ms})
	if s.dies && s.owner == c && c.held > 0 && !c.releasing {
		s.dead, s.expires = true, history.Never
	}
	c.life++
	c.process += 100
	c.call, c.held, c.inFlight, c.releasing, c.next = nil, 0, false, false, s.now+20
}

func (s *service) step(c *caller, wait int64) {
	switch {
	case c.call != nil && s.now >= c.deadline && (c.inFlight || s.rude):
		s.add(c, history.Op{Type: history.Info, F: c.call.F, Refused: history.ByTime})
		c.process += 100
		c.call, c.inFlight, c.next = nil, false, s.now+20
		if s.tail > 0 { // it may have been granted
			s.end = min(s.now+s.o.Tail().Milliseconds(), s.tail+s.o.LongestTail().Milliseconds())
		}
	case c.call != nil && s.now >= c.deadline:
		s.refuse(c, history.ByTime)
	case c.call != nil && !c.inFlight && s.now >= c.next:
		s.poll(c)
	case c.call != nil || c.releasing || s.now < c.next:
	case c.held > 0:
		s.release(c)
	default:
		f := history.Acquire
		if s.r.IntN(5) == 0 && s.tail == 0 {
			f = history.Try
		}
		op := s.add(c, history.Op{Type: history.Invoke, F: f})
		c.call, c.deadline = &op, s.now+wait
		s.poll(c)
	}
}

// play lets the clients work for a while and then wait, as the harness does.
func (s *service) play(duration int64) history.History {
	s.mail = map[int64][]func(){}
	for n := 1; n <= 1+s.r.IntN(5); n++ {
		s.callers = append(s.callers, &caller{n: n, process: n})
	}
	wait := 20 + s.r.Int64N(int64(2*s.o.TTL)/ms)
	if s.trip < 20 {
		wait = 100 + s.r.Int64N(150) // less than any lock may take, but enough for this one
	}
	for s.end = duration; s.now < s.end; s.now++ {
		for _, do := range s.mail[s.now] {
			do()
		}
		delete(s.mail, s.now)
		if s.tail == 0 && s.r.IntN(800) == 0 {
			s.kill(s.callers[s.r.IntN(len(s.callers))])
		}
		for _, c := range s.callers {
			s.step(c, wait)
		}
		if s.now == duration-1 {
			s.tail, s.end, wait = s.now, s.now+s.o.Tail().Milliseconds(), history.Never/2
			for _, c := range s.callers { // nobody rests any more
				if c.call == nil && c.held == 0 {
					c.next = min(c.next, s.now+20)
				}
			}
		}
	}
	for _, c := range s.callers {
		if c.call != nil {
			s.add(c, history.Op{Type: history.Info, F: c.call.F, Refused: history.ByTime})
		}
	}
	slices.SortStableFunc(s.h, func(a, b history.Op) int { return cmp.Compare(a.Time, b.Time) })
	return s.h
}

// TestPatience lets correct locks and locks that die serve clients that are
// killed, give up, and pause: the first are never flagged, the others always.
func TestPatience(t *testing.T) {
	runs := 500
	if testing.Short() {
		runs = 100
	}
	died := 0
	for i := range runs {
		r := rand.New(rand.NewPCG(20261121, uint64(i)))
		o := checker.Options{Expires: true, Model: "lease", TTL: time.Duration(300+r.IntN(1700)) * time.Millisecond, Retry: 20 * time.Millisecond}
		o.FreeWithin = o.TTL + o.Retry
		s := &service{r: r, o: o, dies: i%2 == 0, rude: i%4 < 2, trip: []int64{60, 60, 60, 5, 20}[i%5]}
		h := s.play(10_000)
		if err := history.Validate(h); err != nil {
			t.Fatalf("seed %d: the test's own history: %v", i, err)
		}
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			res := checker.Check(h, o, nil)
			n := res.Counts.Anomalies["deadlock"]
			if s.dead {
				died++
			}
			if s.dead != (n > 0) {
				t.Errorf("%d deadlocks of a lock that died: %v; rude: %v, ttl %s, %d clients", n, s.dead, s.rude, o.TTL, len(s.callers))
			}
			for _, p := range res.Properties {
				for _, a := range p.Anomalies {
					t.Log(a.Sentence)
				}
			}
		})
	}
	if died < runs/8 {
		t.Errorf("%d of %d locks died: that proves little", died, runs)
	}
}
