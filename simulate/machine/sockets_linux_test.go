package machine_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"locktorture/simulate/machine"
)

// A lan joins processes: what one sends arrives at once.
type lan struct {
	world
	t         *testing.T
	listeners map[string]listener
	ends      map[*machine.File]end // the other end of a connection
	all       []*machine.Process
	ports     int
	dir       string
}

type listener struct {
	p *machine.Process
	f *machine.File
}

type end struct{ f *machine.File }

func (l *lan) Connect(_ *machine.Process, f *machine.File, addr string) (int, bool) {
	l.ports++
	to, ok := l.listeners[addr]
	if !ok {
		f.Deliver([]byte("-"))
		return l.ports, true
	}
	peer := &machine.File{}
	if !to.p.Accept(to.f, peer, [4]byte{10, 0, 1, 1}, uint16(l.ports)) {
		return 0, false
	}
	l.ends[f], l.ends[peer] = end{peer}, end{f}
	f.Deliver([]byte("+"))
	return l.ports, true
}

func (l *lan) Listen(p *machine.Process, f *machine.File, addr string) (int, bool) {
	if _, taken := l.listeners[addr]; taken {
		return 0, false
	}
	host, port, _ := strings.Cut(addr, ":")
	if port == "0" {
		port = "50000"
	}
	l.listeners[host+":"+port] = listener{p, f}
	n, err := strconv.Atoi(port)
	return n, err == nil
}

func (l *lan) Shut(_ *machine.Process, f *machine.File) { l.ends[f].f.EOF() }

func (l *lan) Wrote(p *machine.Process, f *machine.File, b []byte) {
	if to, ok := l.ends[f]; ok {
		to.f.Deliver(b)
		return
	}
	l.world.Wrote(p, f, b)
}

func (l *lan) Closed(_ *machine.Process, f *machine.File) {
	if to, ok := l.ends[f]; ok {
		to.f.EOF()
	}
}

// start starts a process with an address.
func (l *lan) start(prog *machine.Program, name string, ip byte) *machine.Process {
	p, err := prog.Start(l.t.Context(), l, []string{"serves", name}, nil)
	must(l.t, err)
	l.t.Cleanup(func() { must(l.t, p.Close(l.t.Context())) })
	p.IP, p.Lazy = [4]byte{10, 0, ip, 1}, true
	l.all = append(l.all, p)
	return p
}

// until runs the processes, in virtual time, until one of them has ended. It returns what it said.
func (l *lan) until(p *machine.Process) string {
	for range 100_000 {
		moved := false
		for _, q := range l.all {
			if q.Ready() {
				q.Step()
				moved = true
			}
		}
		if p.Done() {
			break
		}
		if next := l.next(); !moved && next != machine.Never {
			l.now = next
		}
	}
	if !p.Done() || p.Err() != nil {
		l.t.Fatalf("it has not ended in order: %v, %v, %q", p.Done(), p.Err(), l.written[2])
	}
	return strings.TrimSpace(l.written[1])
}

// next is the time of the first timer.
func (l *lan) next() int64 {
	next := int64(machine.Never)
	for _, q := range l.all {
		next = min(next, q.Wake())
	}
	return next
}

// A native process listens, accepts and dials by the libraries as they are: a server that echoes,
// and a Redis in Go with a client. It has the files of one folder.
func TestSockets(t *testing.T) {
	prog, err := machine.LoadKind(t.Context(), nil, "simulate/machine/testdata/serves", machine.Native)
	if errors.Is(err, machine.ErrKind) && runtime.GOARCH != "amd64" {
		t.Skip(err)
	}
	must(t, err)
	defer func() { must(t, prog.Close(t.Context())) }()
	fresh := func(t *testing.T) *lan {
		return &lan{world: world{now: 1e9, written: map[int32]string{}}, t: t, listeners: map[string]listener{}, ends: map[*machine.File]end{}, ports: 40000, dir: t.TempDir()}
	}
	for _, c := range []struct{ server, client, want string }{
		{"echo", "echoed", "echoed"},
		{"redis", "asks", "it is 100 100"},
		{"echo", "refused", "dial tcp 10.0.0.1:1: connect: connection refused, listen tcp 10.0.0.1:700: listen: address already in use, true"},
	} {
		t.Run(c.client, func(t *testing.T) {
			l := fresh(t)
			server := l.start(prog, c.server, 0)
			for server.Ready() {
				server.Step()
			}
			if said := l.until(l.start(prog, c.client, 1)); said != c.want {
				t.Errorf("it said %q, want %q", said, c.want)
			}
		})
	}
	t.Run("files", func(t *testing.T) {
		l := fresh(t)
		p := l.start(prog, "files", 1)
		p.File(0).Deliver([]byte(l.dir + "\n"))
		if said := l.until(p); said != "text, 2, true" {
			t.Errorf("it said %q", said)
		}
		if text, err := os.ReadFile(filepath.Join(l.dir, "a/d")); err != nil || string(text) != "text" {
			t.Errorf("the directory has %q, %v", text, err)
		}
	})
}
