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

// ask sends a request to a port of the server. It returns false if the server does not listen.
func (m *member) ask(port int, request string, answered func(said []byte)) bool {
	l, f := m.listeners[port], &machine.File{Tag: &visit{answered: answered}}
	if l == nil || !m.proc.proc.Accept(l, f, [4]byte{10, 0, 2, 1}, firstPort) {
		return false
	}
	f.Deliver([]byte(request))
	m.node.w.clock.after(0, m.proc.kick)
	return true
}

// open starts the servers of a cluster, and the harness when all of them serve.
func (s *servers) open() error {
	for _, n := range s.all {
		n.member.boot()
	}
	if fails(s.w.cfg.Schedule) {
		s.writeBack()
	}
	s.w.clock.after(visitEvery, s.all[0].member.visit)
	return s.w.err
}

// visit asks the server whether it serves its clients, as a real run does before it begins. If it
// does not listen yet, it is asked again later.
func (m *member) visit() {
	k := m.node.w.guestKind()
	if !m.ask(k.healthPort, "GET "+k.path+" HTTP/1.1\r\nHost: "+m.node.name+"\r\nConnection: close\r\n\r\n", m.visited) {
		m.visitAgain(nil)
	}
}

func (m *member) visitAgain(said []byte) {
	w := m.node.w
	if w.serving {
		return
	}
	if w.clock.now > int64(visitLimit) {
		w.fail("%s does not serve its clients %v after its start: %q", m.node.name, visitLimit, said)
		return
	}
	w.clock.after(visitEvery, m.visit)
}

// visited is called when the server has answered.
func (m *member) visited(said []byte) {
	w, n := m.node.w, m.node.number
	switch {
	case !bytes.Contains(said, []byte(w.guestKind().healthy)):
		m.visitAgain(said)
	case n < len(w.servers.all):
		w.clock.after(0, w.servers.all[n].member.visit)
	default:
		w.serve()
	}
}

// post sends a request to the HTTP gateway of the server.
func (m *member) post(p faults.Post, answered func(said []byte)) bool {
	return m.ask(inside.Ports()[inside.Etcd], fmt.Sprintf("POST %s HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", p.Path, m.node.name, len(p.Body), p.Body), answered)
}

// errandLimit bounds an errand.
const errandLimit = 5 * time.Second

// errand strikes as an operator does, with requests to the first server that can be asked. It
// returns the reason if there is none.
func (b *blow) errand() (why string) {
	for _, n := range b.w.servers.all {
		if !n.down && n.stops == 0 && b.request(n.member, faults.ErrandOf(b.Kind), nil) {
			return ""
		}
	}
	return "no server can be asked"
}

// request sends the first request of an errand to a server, and the others when it has answered.
// said is the answer to the request before. It returns false if no request was sent.
func (b *blow) request(m *member, steps faults.Errand, said []byte) bool {
	p, err := steps[0](said)
	if err != nil {
		b.begun = false
		b.miss(err.Error())
		return false
	}
	steps = steps[1:]
	return m.post(p, func(said []byte) {
		b.w.clock.after(0, func() {
			switch {
			case len(steps) == 0:
				b.end()
			case b.request(m, steps, said) && len(steps) == 1:
				b.struck(nil)
			}
		})
	})
}
