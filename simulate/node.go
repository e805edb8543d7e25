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

// A node is a server with its connections.
type node struct {
	w      *world
	number int // from 1
	name   string
	srv    server.Server
	conns  map[int]*conn
	member *member // the server if it is a guest; nil: it is srv

	offset  int64 // ns by which faults have moved its wall clock
	skew    skew  // further movement of its wall clock, by a script
	stops   int   // number of faults that keep it stopped
	waiting []func()
	down    bool
	lagging [2][]lagging // messages that wait to be overtaken, by direction
}

func newNode(w *world, number int, s server.Server) *node {
	return &node{w: w, number: number, name: redisName(number), srv: s, conns: map[int]*conn{}}
}

func redisName(number int) string { return fmt.Sprintf("redis-%d", number) }

// accept opens a connection at the server, and reports whether the server takes it. A stopped
// server takes it, because its kernel still runs.
func (n *node) accept(c *conn) (taken bool, err error) {
	switch {
	case n.down:
		return false, nil
	case n.member != nil:
		taken = n.member.accept(c)
	default:
		err = n.srv.Connect(c.number)
		taken = err == nil
	}
	if taken {
		n.conns[c.number] = c
	}
	return taken, err
}

// leave closes a connection at the server. With broken, the connection breaks off instead of
// ending in order.
func (n *node) leave(c *conn, broken bool) {
	switch {
	case n.member == nil:
		n.srv.Disconnect(c.number)
	case c.peer == nil: // it was refused
	case broken:
		c.peer.Reset()
		c.w.clock.after(0, n.member.proc.kick)
	default:
		c.peer.EOF()
		c.w.clock.after(0, n.member.proc.kick)
	}
}

// open returns the connections to the server, in the order of their dials.
func (n *node) open() []*conn {
	var all []*conn
	for _, number := range slices.Sorted(maps.Keys(n.conns)) {
		all = append(all, n.conns[number])
	}
	return all
}

// do runs what, or queues it while the server is stopped. It queues nothing for a guest, whose
// input waits in the process.
func (n *node) do(what func()) {
	if n.stops > 0 && n.member == nil {
		n.waiting = append(n.waiting, what)
		return
	}
	what()
}

// stop stops the server.
func (n *node) stop() {
	if n.stops++; n.member != nil {
		n.member.proc.proc.Halt()
	}
}

// goOn ends one stop of the server. After the last one, the server does the queued work in order.
func (n *node) goOn() {
	if n.stops--; n.stops > 0 {
		return
	}
	if n.member != nil {
		n.member.proc.goOn()
		return
	}
	waiting := n.waiting
	n.waiting = nil
	for _, what := range waiting {
		what()
	}
}

// aside is a connection number that no process uses.
const aside = 0

// run executes a script on the server, outside of all connections of processes, and returns its
// bulk string.
func (n *node) run(script string) (text []byte, err error) {
	if err := n.srv.Connect(aside); err != nil {
		return nil, err
	}
	defer n.srv.Disconnect(aside)
	var answer []byte
	err = n.srv.Feed(n.wall(), aside, resp.Append(nil, "EVAL", script, "0"), func(_ int, b []byte) { answer = append(answer, b...) })
	if err != nil {
		return nil, err
	}
	if _, rest, ok := bytes.Cut(answer, []byte("\r\n")); ok && answer[0] == '$' {
		return bytes.TrimSuffix(rest, []byte("\r\n")), nil
	}
	return nil, fmt.Errorf("the server answered %q to a script", answer)
}

// strikeNodes applies a fault to its servers.
func (b *blow) strikeNodes() {
	var all []*node
	for _, n := range b.Strikes() {
		all = append(all, b.w.servers.all[n-1])
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
		b.struck(each(func(n *node) { n.offset -= int64(b.By) }))
	case schedule.Stop:
		each((*node).stop)()
		b.struck(each((*node).wake))
	case schedule.Cut:
		b.w.servers.sever(b.Strikes(), 1)
		b.struck(func() { b.w.servers.sever(b.Strikes(), -1) })
	case schedule.Fsync:
		each(func(n *node) { n.member.slow(1) })()
		b.struck(each(func(n *node) { n.member.slow(-1) }))
	case schedule.EIO:
		each(func(n *node) { n.member.spoil() })()
		b.struck(each(func(n *node) { n.member.repair() }))
	case schedule.Power:
		each(func(n *node) { n.member.remember(b.number) })()
		b.struck(each(func(n *node) { n.member.revert(b.number) }))
	case schedule.Blackout:
		each(func(n *node) { n.down = true })()
		b.w.clock.after(0, each(func(n *node) { n.kill(false); n.member.lose() }))
		b.struck(each((*node).revive))
	case schedule.Restart:
		each(func(n *node) { n.down = true })()
		b.w.clock.after(0, each(func(n *node) { n.kill(b.Lost) })) // the server may be in the middle of an answer
		b.struck(each((*node).revive))
	}
}

// kill kills the server: its connections break, its scripts are lost, and with lost its data as well.
func (n *node) kill(lost bool) {
	for _, c := range n.open() {
		c.orphan()
	}
	if n.member != nil {
		n.member.kill()
		return
	}
	if err := n.srv.Restart(lost); err != nil {
		n.w.fail("%s: %w", n.name, err)
	}
}

// revive starts the killed server again.
func (n *node) revive() {
	n.down = false
	if n.member != nil {
		n.member.boot()
	}
}
