package cluster

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// A Direction is one of the two directions of a link, seen from the party that opened the
// connection.
type Direction = string

// The directions.
const (
	Requests Direction = "requests"
	Replies  Direction = "replies"
)

// ErrHeldBack is returned by Heal and LetGo if held data could not be delivered, because its
// receiver does not read.
var ErrHeldBack = errors.New("held data did not go out")

// healTime bounds the time in which Heal waits for the delivery of held data.
const healTime = 5 * time.Second

// A Link is a proxy of this process that carries all connections from one party to another and can
// disturb them. Disturbances accumulate until Heal ends them all. Its methods may be called from
// several goroutines.
type Link struct {
	proxy    Proxy // nil if the link consists of parts of other links
	requests *valve
	replies  *valve
	taps     *taps // nil if proxy is nil
}

// NewLink starts a proxy that listens on an address (port 0: any) and connects to upstream. The
// seed determines its jitter. The caller must close it.
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

// Addr returns the address to dial instead of the server's. It returns "" for one direction between
// two nodes, to which no party connects directly.
func (l *Link) Addr() string {
	if l.proxy == nil {
		return ""
	}
	return l.proxy.Addr()
}

// Slow delays every message by latency ± jitter in each direction. Messages of one connection keep
// their order.
func (l *Link) Slow(latency, jitter time.Duration) error {
	if latency < 0 || jitter < 0 || latency+jitter == 0 {
		return fmt.Errorf("slow link by %v ± %v: nothing to slow by", latency, jitter)
	}
	for _, v := range l.valves() {
		v.change(func(s *state) { s.latency, s.jitter = latency, jitter })
	}
	return nil
}

// Cut discards all data. Connections hang, as on a broken network. If one side closes a connection,
// the other side does not notice. New connections are accepted and receive no data.
func (l *Link) Cut() error {
	for _, v := range l.valves() {
		v.change(func(s *state) { s.cut = true })
	}
	return nil
}

// CutReplies discards the replies and passes the requests. New connections are accepted and receive
// no data.
func (l *Link) CutReplies() error {
	l.replies.change(func(s *state) { s.cut = true })
	return nil
}

// Hold keeps back the data and the end of one connection: the first connection that sends data in
// direction d from now on. The data of other connections passes.
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

// Held returns the number of bytes that Hold keeps back.
func (l *Link) Held() int {
	return int(l.requests.held.Load() + l.replies.held.Load())
}

// Answered returns the number of open connections over which a reply has been sent. A client may
// still abandon and replace a connection without a reply.
func (l *Link) Answered() int { return int(l.replies.live.Load()) }

// Delayed returns the number of messages that Slow has delayed since the link was made.
func (l *Link) Delayed() int { return int(l.requests.slowed.Load() + l.replies.slowed.Load()) }

// LetGo ends a hold in one direction and leaves all other disturbances. It returns nil once the
// held data has been delivered in order, or ErrHeldBack after healTime.
func (l *Link) LetGo(d Direction) error {
	v := l.requests
	if d == Replies {
		v = l.replies
	}
	v.change(func(s *state) { s.hold = nil })
	return awaitOut(v)
}

// Heal ends all disturbances. It returns nil once the held data has been delivered in order, or
// ErrHeldBack after healTime. Connections that were open while the link was cut are closed.
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

// Reset breaks the open connections. Data in flight and held data is lost, and both parties notice
// the end of the connection. All disturbances end, so that new connections pass.
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

// awaitOut waits until the held data of the valves has been delivered.
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

// move connects the link to another server. It closes all connections.
func (l *Link) move(upstream string) error {
	l.taps.mu.Lock()
	l.taps.way.Upstream = upstream // its connections are closed below, so they need no update
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
