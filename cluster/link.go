package cluster

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// A Direction is a way along a link, seen from the party that opened the
// connection.
type Direction = string

// The directions.
const (
	Requests Direction = "requests"
	Replies  Direction = "replies"
)

// ErrHeldBack is returned by Heal if data that was held back could not be let go,
// because the party that it is for does not read.
var ErrHeldBack = errors.New("held data did not go out")

// healTime bounds how long Heal waits for held data to go out.
const healTime = 5 * time.Second

// A Link carries the bytes of all connections that one party opens to another,
// through a proxy of this process, and can be disturbed. The disturbances add
// up until Heal ends them all. Its methods may be called from several
// goroutines.
type Link struct {
	proxy    Proxy // nil if it is made of parts of other links
	requests *valve
	replies  *valve
	taps     *taps // nil as proxy
}

// NewLink starts a proxy that listens on an address (port 0: any) and leads
// to upstream. The seed fixes its jitter. Close it in the end.
func NewLink(f Forwarder, listen, upstream string, seed uint64) (*Link, error) {
	l := &Link{
		requests: newValve(rand.New(rand.NewPCG(seed, 1))),
		replies:  newValve(rand.New(rand.NewPCG(seed, 2))),
		taps:     &taps{way: Way{From: -1, To: -1, Upstream: upstream}},
	}
	p, err := f.proxy(listen, upstream, l.requests, l.replies, l.taps)
	if err != nil {
		return nil, err
	}
	l.proxy = p
	return l, nil
}

// Addr returns the address to dial instead of the server's, or "" if the link
// is one way between two nodes, which nobody dials.
func (l *Link) Addr() string {
	if l.proxy == nil {
		return ""
	}
	return l.proxy.Addr()
}

// Slow delays every message by latency ± jitter, in each direction. Messages
// of one connection keep their order.
func (l *Link) Slow(latency, jitter time.Duration) error {
	if latency < 0 || jitter < 0 || latency+jitter == 0 {
		return fmt.Errorf("slow link by %v ± %v: nothing to slow by", latency, jitter)
	}
	for _, v := range l.valves() {
		v.change(func(s *state) { s.latency, s.jitter = latency, jitter })
	}
	return nil
}

// Cut loses all data. Connections hang, as on a dead network. If one side closes a connection,
// the other side does not notice. New connections are accepted and get nothing.
func (l *Link) Cut() error {
	for _, v := range l.valves() {
		v.change(func(s *state) { s.cut = true })
	}
	return nil
}

// CutReplies loses what comes back, and lets through what goes there. New connections are made,
// and hear nothing.
func (l *Link) CutReplies() error {
	l.replies.change(func(s *state) { s.cut = true })
	return nil
}

// Hold keeps back the data, and the end, of the one connection that sends
// next in that direction; other connections pass.
func (l *Link) Hold(d Direction) error {
	switch d {
	case Requests:
		l.requests.change(func(s *state) { s.hold = new(hold) })
	case Replies:
		l.replies.change(func(s *state) { s.hold = new(hold) })
	default:
		return fmt.Errorf("hold link: no direction %q, there are %q and %q", d, Requests, Replies)
	}
	return nil
}

// Held returns the number of bytes that Hold is keeping back.
func (l *Link) Held() int {
	return int(l.requests.held.Load() + l.replies.held.Load())
}

// Answered returns the number of connections that are there over which something has come back.
// One that was not answered yet may be given up by its client, and replaced.
func (l *Link) Answered() int { return int(l.replies.live.Load()) }

// Delayed returns the number of messages that Slow has delayed since the link was made.
func (l *Link) Delayed() int { return int(l.requests.slowed.Load() + l.replies.slowed.Load()) }

// LetGo ends a hold in one direction and leaves all else as it is. It returns once what
// was held back has gone out, in order, or ErrHeldBack.
func (l *Link) LetGo(d Direction) error {
	v := l.requests
	if d == Replies {
		v = l.replies
	}
	v.change(func(s *state) { s.hold = nil })
	return awaitOut(v)
}

// Heal ends all disturbances. Held data goes out first, in order, and Heal returns once it
// has, or ErrHeldBack; connections that were there while the link was cut are closed.
func (l *Link) Heal() error {
	for _, v := range l.valves() {
		v.change(func(s *state) {
			if s.cut {
				s.healed++
			}
			s.cut, s.hold, s.latency, s.jitter = false, nil, 0, 0
		})
	}
	return awaitOut(l.requests, l.replies)
}

// Reset breaks the connections that are there: what is on its way or held back is lost, both
// parties hear of it, and new connections pass. All disturbances end.
func (l *Link) Reset() error {
	for _, v := range l.valves() {
		v.change(func(s *state) {
			s.healed++
			s.reset = s.healed
			s.cut, s.hold, s.latency, s.jitter = false, nil, 0, 0
		})
	}
	return awaitOut(l.requests, l.replies)
}

// awaitOut waits until what some valves had held back has gone out.
func awaitOut(valves ...*valve) error {
	deadline := time.Now().Add(healTime)
	for {
		held := int64(0)
		for _, v := range valves {
			held += v.held.Load()
		}
		if held == 0 {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("heal link: %d bytes: %w", held, ErrHeldBack)
		}
		time.Sleep(100 * time.Microsecond)
	}
}

// move makes the link lead to another server. All its connections are closed.
func (l *Link) move(upstream string) error {
	l.taps.mu.Lock()
	l.taps.way.Upstream = upstream // its connections are about to be closed, so they need no update
	l.taps.mu.Unlock()
	return l.proxy.Move(upstream)
}

// Close ends the link and all its connections.
func (l *Link) Close() {
	l.proxy.Stop()
	for _, v := range l.valves() {
		v.close()
	}
}

func (l *Link) valves() [2]*valve { return [2]*valve{l.requests, l.replies} }
