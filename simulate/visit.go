package simulate

import (
	"bytes"
	"fmt"
	"time"

	"locktorture/nemesis/points/faults"
	"locktorture/simulate/inside"
	"locktorture/simulate/machine"
)

// A visit is a request of the host to a server over HTTP, on a connection of its own.
type visit struct {
	said     []byte
	answered func(said []byte) // called when the server has closed the connection
}

const (
	visitEvery = 50 * time.Millisecond
	visitLimit = 30 * time.Second
)

// ask sends a request to a server. It returns false if the server does not listen.
func (w *world) ask(n *node, request string, answered func(said []byte)) bool {
	l, f := n.member.listeners[inside.ClientPort], &machine.File{Tag: &visit{answered: answered}}
	if l == nil || !n.member.proc.proc.Accept(l, f, [4]byte{10, 0, 2, 1}, firstPort) {
		return false
	}
	f.Deliver([]byte(request))
	w.after(0, n.member.proc.kick)
	return true
}

// open starts the servers of a cluster, and the harness when all of them serve.
func (w *world) open() error {
	for _, n := range w.nodes {
		w.boot(n)
	}
	w.after(visitEvery, func() { w.visit(w.nodes[0]) })
	return w.err
}

// visit asks a server whether it serves its clients, as a real run does before it begins. If it does
// not listen yet, it is asked again later.
func (w *world) visit(n *node) {
	request := "GET /health HTTP/1.1\r\nHost: " + n.name + "\r\nConnection: close\r\n\r\n"
	if !w.ask(n, request, func(said []byte) { w.visited(n, said) }) {
		w.visitAgain(n, nil)
	}
}

func (w *world) visitAgain(n *node, said []byte) {
	if w.serving {
		return
	}
	if w.now > int64(visitLimit) {
		w.fail("%s does not serve its clients %v after its start: %q", n.name, visitLimit, said)
		return
	}
	w.after(visitEvery, func() { w.visit(n) })
}

// visited is called when a server has answered.
func (w *world) visited(n *node, said []byte) {
	switch {
	case !bytes.Contains(said, []byte(`"health":"true"`)):
		w.visitAgain(n, said)
	case n.number < len(w.nodes):
		w.after(0, func() { w.visit(w.nodes[n.number]) })
	default:
		w.serve()
	}
}

// post sends a request to the HTTP gateway of a server.
func (w *world) post(n *node, p faults.Post, answered func(said []byte)) bool {
	return w.ask(n, fmt.Sprintf("POST %s HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", p.Path, n.name, len(p.Body), p.Body), answered)
}

// compact changes a key twice, so that a watch without events since then is behind, and makes the
// cluster discard what was before. It returns the reason if no server can be asked.
func (w *world) compact(b *blow) (why string) {
	for _, n := range w.nodes {
		if n.down || n.stops > 0 {
			continue
		}
		discard := func(said []byte) {
			if p, ok := faults.Compaction(said); ok {
				w.after(0, func() { w.post(n, p, func([]byte) {}) })
			}
		}
		if w.post(n, faults.Change(), func([]byte) { w.after(0, func() { w.post(n, faults.Change(), discard) }) }) {
			w.struck(b, nil)
			return ""
		}
	}
	return "no server can be asked"
}
