package simulate

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"locktorture/simulate/machine"
)

// A Cluster describes servers that are guests: processes like the clients, but with listeners.
type Cluster struct {
	Program *machine.Program
	Version string // version of the server, for the report
	Disks   string // parent directory for the files of the servers; "": the one for temporary files
	// Names is called once for each connection of a client. It returns a function that names
	// the messages that end in b, the next data of the connection in one direction. nil: a
	// schedule has no points at the messages of the cluster.
	Names func() func(reply bool, b []byte) []string
}

// A member is a server that is a guest.
type member struct {
	node      *node
	proc      *process
	dir       string                // its files
	listeners map[int]*machine.File // by port
	starts    int

	slowed   int  // number of faults that keep its disk from finishing an fsync
	bad      int  // number of faults that make each fsync fail
	forgets  bool // its disk will lose what it writes now, because its power is about to fail
	betrayed bool // its disk has broken a promise, so it may end by itself
	crashed  bool // it has ended by itself
	safe     bool // the host keeps a copy of what fsync has written (safe.go)
}

// firstServer is added to the numbers of the servers' processes. So they are above the numbers
// of all other processes.
const firstServer = 1 << 20

// A start is the first line that a server reads.
type start struct {
	Dir  string   `json:"dir"` // where the host keeps its files
	Args []string `json:"args"`
}

// boot starts the process of the member.
func (m *member) boot() {
	n, w := m.node, m.node.w
	m.starts++
	m.listeners, m.crashed = map[int]*machine.File{}, false
	m.proc = &process{w: w, node: n, number: firstServer + m.starts<<8 + n.number}
	line, err := json.Marshal(start{m.dir, w.guestKind().args(n.number, len(w.servers.all))})
	if err == nil {
		err = m.proc.start(w.cfg.Cluster.Program, "server")
	}
	if err != nil {
		w.fail("start %s: %w", n.name, err)
		return
	}
	w.sum.note("boot", n.number, nil)
	m.proc.proc.IP, m.proc.proc.Lazy = memberIP(n.number), true
	m.proc.proc.KeepsSync = m.safe
	m.proc.proc.SlowDisk, m.proc.proc.BadDisk = m.slowed > 0, m.bad > 0
	m.proc.proc.File(0).Deliver(append(line, '\n'))
	w.clock.after(0, m.proc.kick)
}

// kill ends the process of the member, and closes its connections to others, as a kernel does.
func (m *member) kill() {
	m.proc.doomed = true
	_ = m.proc.proc.Close(m.proc.w.ctx)
	for _, c := range m.proc.conns {
		if !c.over {
			c.closed()
		}
	}
}

// accept hands a connection to the listener of its port.
func (m *member) accept(c *conn) bool {
	l := m.listeners[c.port]
	if l == nil || m.proc.proc.Done() {
		return false
	}
	c.peer = &machine.File{Tag: far{c}}
	if !m.proc.proc.Accept(l, c.peer, c.client.ip(), uint16(c.number)) {
		return false
	}
	c.w.clock.after(0, m.proc.kick)
	return true
}

// memberIP returns the address of the n-th server.
func memberIP(n int) [4]byte { return [4]byte{10, 0, 0, byte(n)} }

// ip returns the address of a process, as servers see it.
func (p *process) ip() [4]byte {
	if p.node != nil {
		return memberIP(p.node.number)
	}
	return [4]byte{10, 0, 1, byte(p.client)}
}

// who returns the number of the client, or the negative number of the server.
func (p *process) who() int {
	if p.node != nil {
		return -p.node.number
	}
	return p.client
}

func netAddr(ip [4]byte, port int) string {
	return fmt.Sprintf("%d.%d.%d.%d:%d", ip[0], ip[1], ip[2], ip[3], port)
}

// The following methods implement machine.Network.

var _ machine.Network = (*process)(nil)

// firstPort is the first port that the host chooses.
const firstPort = 30000

// Connect connects a socket to a server.
func (p *process) Connect(_ *machine.Process, f *machine.File, addr string) (port int, ok bool) {
	host, text, _ := strings.Cut(addr, ":")
	to, err := strconv.Atoi(text)
	for _, n := range p.w.servers.all {
		if ip := memberIP(n.number); err == nil && netAddr(ip, to) == host+":"+text {
			p.connect(n, to, f)
			return firstPort + p.w.net.conns%firstPort, true
		}
	}
	return 0, false
}

// Listen makes a socket of a server a listener.
func (p *process) Listen(_ *machine.Process, f *machine.File, addr string) (port int, ok bool) {
	host, text, _ := strings.Cut(addr, ":")
	port, err := strconv.Atoi(text)
	own := netAddr(p.ip(), port)
	if err != nil || p.node == nil || host != "0.0.0.0" && addr != own {
		return 0, false
	}
	all := p.node.member.listeners
	for ; port == 0 || all[port] != nil; port++ {
		if text != "0" {
			return 0, false // it is taken
		}
		port = max(port, firstPort)
	}
	f.Tag = p.node.member
	all[port] = f
	return port, true
}

// Shut ends one direction of a connection.
func (p *process) Shut(_ *machine.Process, f *machine.File) {
	switch of := f.Tag.(type) {
	case *conn:
		of.pass(&of.to, 0, func() { of.endOf(of.peer, of.node.member) })
	case far:
		of.pass(&of.from, 0, of.endAtClient)
	}
}
