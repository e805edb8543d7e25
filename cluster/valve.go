package cluster

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// A valve is one direction of a link. Each connection passes through a pipe of the valve from its
// start to its end, so that a change of state does not interrupt it. A valve can do what the toxics
// of toxiproxy cannot: delay data by less than a millisecond, hold back one connection among
// several, and hide the end of a connection while the link is cut.
type valve struct {
	state  atomic.Pointer[state]
	held   atomic.Int64 // bytes held back
	live   atomic.Int64 // open connections that have carried data
	slowed atomic.Int64 // number of messages delayed since the link was made
	closed chan struct{}

	mu     sync.Mutex
	jitter *rand.Rand
}

// A state is the current behaviour of a valve. It is immutable: a change replaces it.
type state struct {
	cut     bool
	healed  int // number of ended cuts and of resets
	reset   int // value of healed at the last reset
	latency time.Duration
	jitter  time.Duration
	hold    *hold
	over    chan struct{} // closed when another state has replaced this one
}

// A hold orders the valve to hold back one connection. The first flow that has data becomes its
// owner.
type hold struct {
	owner atomic.Pointer[flow]
	pass  int // messages that still pass; used only by the owner
}

func newValve(jitter *rand.Rand) *valve {
	v := &valve{jitter: jitter, closed: make(chan struct{})}
	v.state.Store(&state{over: make(chan struct{})})
	return v
}

// change replaces the state by an edited copy and wakes all flows.
func (v *valve) change(edit func(*state)) {
	v.mu.Lock()
	defer v.mu.Unlock()
	old := v.state.Load()
	s := *old
	edit(&s)
	s.over = make(chan struct{})
	v.state.Store(&s)
	close(old.over)
}

// delay draws the delay of a message that arrives now.
func (v *valve) delay(s *state) time.Duration {
	d := s.latency
	if s.jitter > 0 {
		v.mu.Lock()
		d += time.Duration(v.jitter.Int64N(2*int64(s.jitter)+1)) - s.jitter
		v.mu.Unlock()
	}
	return max(d, 0)
}

// close ends all flows.
func (v *valve) close() { close(v.closed) }

// pipe carries one direction of a connection. A nil connection is not watched.
func (v *valve) pipe(c *conn, reply bool) Pipe {
	return func(s Stream) {
		f := &flow{valve: v, stream: s, healed: v.state.Load().healed, watch: watch{conn: c, reply: reply}}
		f.run()
		f.watch.end()
	}
}
