package simulate

import (
	"bytes"
	"time"

	"locktorture/simulate/inside"
	"locktorture/simulate/machine"
)

// A visit asks a server over HTTP whether it serves its clients, as a real run does before it begins.
type visit struct {
	w    *world
	node *node
	said []byte
}

const (
	visitEvery = 50 * time.Millisecond
	visitLimit = 30 * time.Second
)

// open starts the servers of a cluster, and the harness when all of them serve.
func (w *world) open() error {
	for _, n := range w.nodes {
		w.boot(n)
	}
	w.clock.after(visitEvery, func() { w.visit(w.nodes[0]) })
	return w.err
}

// visit asks a server. If it does not listen yet, it is asked again later.
func (w *world) visit(n *node) {
	v := &visit{w: w, node: n}
	l, f := n.member.listeners[inside.ClientPort], &machine.File{Tag: v}
	if l == nil || !n.member.proc.proc.Accept(l, f, [4]byte{10, 0, 2, 1}, firstPort) {
		v.again()
		return
	}
	f.Deliver([]byte("GET /health HTTP/1.1\r\nHost: " + n.name + "\r\nConnection: close\r\n\r\n"))
	w.clock.after(0, n.member.proc.kick)
}

func (v *visit) again() {
	if v.w.serving {
		return
	}
	if v.w.clock.now > int64(visitLimit) {
		v.w.fail("%s does not serve its clients %v after its start: %q", v.node.name, visitLimit, v.said)
		return
	}
	v.w.clock.after(visitEvery, func() { v.w.visit(v.node) })
}

// end is called when the server has answered.
func (v *visit) end() {
	switch n := v.node.number; {
	case !bytes.Contains(v.said, []byte(`"health":"true"`)):
		v.again()
	case n < len(v.w.nodes):
		v.w.clock.after(0, func() { v.w.visit(v.w.nodes[n]) })
	default:
		v.w.serve()
	}
}
