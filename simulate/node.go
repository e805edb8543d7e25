package simulate

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"locktorture/internal/resp"
	"locktorture/nemesis/points/schedule"
	"locktorture/simulate/server"
)

// A node is a server, and the connections to it.
type node struct {
	number int // from 1
	name   string
	srv    server.Server
	conns  map[int]*conn

	offset  int64 // of its wall clock
	skew    skew  // of it, besides, by a script
	stops   int   // faults by which it stands still
	waiting []func()
	down    bool
	lagging [2][]lagging // by direction
}

func newNode(number int, s server.Server) *node {
	return &node{number: number, name: fmt.Sprintf("redis-%d", number), srv: s, conns: map[int]*conn{}}
}

// open are the connections to it, in the order in which they were made.
func (n *node) open() []*conn {
	var all []*conn
	for _, number := range slices.Sorted(maps.Keys(n.conns)) {
		all = append(all, n.conns[number])
	}
	return all
}

// do lets the server do something, once it does not stand still.
func (n *node) do(what func()) {
	if n.stops > 0 {
		n.waiting = append(n.waiting, what)
		return
	}
	what()
}

// goOn ends one stop of the server. What came meanwhile it does in order.
func (n *node) goOn() {
	if n.stops--; n.stops > 0 {
		return
	}
	waiting := n.waiting
	n.waiting = nil
	for _, what := range waiting {
		what()
	}
}

// aside is a connection that no process has.
const aside = 0

// run has the server run a script whose answer is a text, past all processes.
func (n *node) run(now int64, script string) (text []byte, err error) {
	if err := n.srv.Connect(aside); err != nil {
		return nil, err
	}
	defer n.srv.Disconnect(aside)
	var answer []byte
	err = n.srv.Feed(n.wall(now), aside, resp.Append(nil, "EVAL", script, "0"), func(_ int, b []byte) { answer = append(answer, b...) })
	if err != nil {
		return nil, err
	}
	if _, rest, ok := bytes.Cut(answer, []byte("\r\n")); ok && answer[0] == '$' {
		return bytes.TrimSuffix(rest, []byte("\r\n")), nil
	}
	return nil, fmt.Errorf("a script was answered %q", answer)
}

// strikeNodes does to servers what a decision says.
func (w *world) strikeNodes(b *blow) {
	var all []*node
	for _, n := range b.Strikes() {
		all = append(all, w.nodes[n-1])
	}
	each := func(do func(*node)) func() {
		return func() {
			for _, n := range all {
				do(n)
			}
		}
	}
	switch b.Kind {
	case schedule.Clock:
		each(func(n *node) { n.offset += int64(b.By) })()
		w.struck(b, each(func(n *node) { n.offset -= int64(b.By) }))
	case schedule.Stop:
		each(func(n *node) { n.stops++ })()
		w.struck(b, each(w.wake))
	case schedule.Restart:
		each(func(n *node) { n.down = true })()
		w.after(0, each(func(n *node) { w.kill(n, b.Lost) })) // it may be amid an answer
		w.struck(b, each(func(n *node) { n.down = false }))
	}
}

// kill ends a server: its connections break, its scripts are forgotten, and its data if they
// are to be lost.
func (w *world) kill(n *node, lost bool) {
	for _, c := range n.open() {
		c.orphan()
	}
	if err := n.srv.Restart(lost); err != nil {
		w.fail("%s: %w", n.name, err)
	}
}
