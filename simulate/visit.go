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
func (s *servers) open() error {
	for _, n := range s.all {
		n.member.boot()
	}
	s.w.clock.after(visitEvery, s.all[0].member.visit)
	return s.w.err
}

// visit asks the server. If it does not listen yet, it is asked again later.
func (m *member) visit() {
	n, w := m.node, m.node.w
	v := &visit{w: w, node: n}
	l, f := m.listeners[inside.ClientPort], &machine.File{Tag: v}
	if l == nil || !m.proc.proc.Accept(l, f, [4]byte{10, 0, 2, 1}, firstPort) {
		v.again()
		return
	}
	f.Deliver([]byte("GET /health HTTP/1.1\r\nHost: " + n.name + "\r\nConnection: close\r\n\r\n"))
	w.clock.after(0, m.proc.kick)
}

func (v *visit) again() {
	if v.w.serving {
		return
	}
	if v.w.clock.now > int64(visitLimit) {
		v.w.fail("%s does not serve its clients %v after its start: %q", v.node.name, visitLimit, v.said)
		return
	}
	v.w.clock.after(visitEvery, v.node.member.visit)
}

// end is called when the server has answered.
func (v *visit) end() {
	switch n := v.node.number; {
	case !bytes.Contains(v.said, []byte(`"health":"true"`)):
		v.again()
	case n < len(v.w.servers.all):
		v.w.clock.after(0, v.w.servers.all[n].member.visit)
	default:
		v.w.serve()
	}
}
