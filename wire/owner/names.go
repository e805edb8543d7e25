package owner

import (
	"sync"

	"locktorture/cluster"
	"locktorture/history"
	"locktorture/internal/resp"
	"locktorture/internal/wire"
)

// Names are the owners of a lock, by what its clients send. The nil Names knows none.
type Names struct {
	look Look

	mu      sync.Mutex
	owners  map[string]string // by value
	clients map[int]*client
}

// A client is one of the lock, in whatever process it is.
type client struct {
	process int
	last    string // the value with which it last asked for the lock, in the acquire under way
}

// New returns the names of a lock that nobody has asked for yet.
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

// Named returns an entry of the history, in its order, with the names of owners instead of
// their values. A grant that names no owner gets the one that its client last asked for the
// lock with.
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
	if op.Client == 0 || op.Process < 0 { // a fault names the client whom it strikes
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

// name returns the name of a value; the value itself if nobody has sent it.
func (n *Names) name(value string) string {
	if name := n.owners[value]; name != "" {
		return name
	}
	return value
}

// Tap watches what a client sends to any server.
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

// Connect implements cluster.Tap. What servers say names nobody.
func (t tap) Connect(cluster.Way) (requests, replies cluster.Watcher) {
	return &requested{tap: t}, nil
}

// requested takes the requests of a connection apart.
type requested struct {
	tap
	rest   []byte
	chunks int
	odd    bool // it is not Redis that is spoken there
}

// mostRest bounds what is kept of a request that is not whole.
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

// Leave implements cluster.Watcher, as Lose and End do: what was sent counts, whatever becomes
// of it.
func (*requested) Leave(int) {}

// Lose implements cluster.Watcher.
func (*requested) Lose(int) {}

// End implements cluster.Watcher.
func (*requested) End() {}

// sent is told with which value a client asks for the lock. A value stays that of its first
// process.
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

// Both returns a tap beside another. One of them may be nil, and nil is what two of those are.
func Both(a, b cluster.Tap) cluster.Tap {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return pair{a, b}
}

type pair struct{ a, b cluster.Tap }

// Connect implements cluster.Tap. b watches requests alone.
func (p pair) Connect(w cluster.Way) (requests, replies cluster.Watcher) {
	requests, replies = p.a.Connect(w)
	also, _ := p.b.Connect(w)
	if requests == nil {
		return also, replies
	}
	return beside{requests, also}, replies
}

// beside is a watcher beside another that gives chunks no names.
type beside struct {
	cluster.Watcher
	also cluster.Watcher
}

// Enter implements cluster.Watcher.
func (b beside) Enter(data []byte) int {
	b.also.Enter(data)
	return b.Watcher.Enter(data)
}
