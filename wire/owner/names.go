package owner

import (
	"sync"

	"locktorture/cluster"
	"locktorture/history"
	"locktorture/internal/resp"
	"locktorture/internal/wire"
)

// Names maps the owner values of a lock to processes, from the requests of its clients. The nil
// Names is empty.
type Names struct {
	look Look

	mu      sync.Mutex
	owners  map[string]string // by value
	clients map[int]*client
}

// A client is one client of the lock, in any of its processes.
type client struct {
	process int
	last    string // the value of the latest request for the lock, in the current acquire
}

// New returns the names of a lock before its first request.
func New(l Look) *Names {
	return &Names{look: l, owners: map[string]string{}, clients: map[int]*client{}}
}

func (n *Names) client(number int) *client {
	c := n.clients[number]
	if c == nil {
		c = &client{}
		n.clients[number] = c
	}
	return c
}

// Named returns an entry of the history with names instead of owner values. Entries must be passed
// in order. A grant without an owner gets the owner with which its client last requested the lock.
func (n *Names) Named(op history.Op) history.Op {
	if n == nil {
		return op
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if op.F == history.Probe {
		op.Value = n.name(op.Value)
		return op
	}
	if op.Client == 0 || op.Process < 0 { // a fault names the struck client
		return op
	}
	c := n.client(op.Client)
	c.process = op.Process
	if op.F != history.Acquire && op.F != history.Try {
		return op
	}
	switch {
	case op.Type == history.Invoke:
		c.last = ""
	case op.Type == history.OK && op.Value == "":
		op.Value = n.name(c.last)
	case op.Type == history.OK:
		op.Value = n.name(op.Value)
	}
	return op
}

// name returns the name of a value, or the value itself if no client has sent it.
func (n *Names) name(value string) string {
	if name := n.owners[value]; name != "" {
		return name
	}
	return value
}

// Tap observes the requests of a client to any server.
func (n *Names) Tap(client int) cluster.Tap {
	if n == nil {
		return nil
	}
	return tap{n, client}
}

type tap struct {
	names  *Names
	client int
}

// Connect implements cluster.Tap. Replies contain no names.
func (t tap) Connect(cluster.Way) (requests, replies cluster.Watcher) {
	return &requested{tap: t}, nil
}

// requested splits the requests of a connection.
type requested struct {
	tap
	rest   []byte
	chunks int
	odd    bool // the protocol is not Redis
}

// mostRest bounds the kept part of an incomplete request, in bytes.
const mostRest = 1 << 20

// Enter implements cluster.Watcher.
func (r *requested) Enter(data []byte) int {
	r.chunks++
	if r.odd {
		return r.chunks
	}
	r.rest = append(r.rest, data...)
	for {
		n, words, err := resp.Command(r.rest)
		if err != nil {
			r.odd = err != resp.ErrShort || len(r.rest) > mostRest
			return r.chunks
		}
		r.names.sent(r.client, r.names.look.taken(words))
		r.rest = append([]byte(nil), r.rest[n:]...)
	}
}

// Leave implements cluster.Watcher, as Lose and End do. They do nothing, because a sent request
// counts even if it is lost.
func (*requested) Leave(int) {}

// Lose implements cluster.Watcher.
func (*requested) Lose(int) {}

// End implements cluster.Watcher.
func (*requested) End() {}

// sent records the value of a client's request for the lock. A value always names the first process
// that sent it.
func (n *Names) sent(number int, value string) {
	if value == "" {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	c := n.client(number)
	c.last = value
	if n.owners[value] == "" {
		n.owners[value] = wire.Owner(c.process) + ":" + value
	}
}
