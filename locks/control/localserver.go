package control

import (
	"bufio"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
)

// A LocalServer is the lock server behind Local and its siblings: a queue for each name,
// tokens that grow, and no expiry. A client keeps its lease for as long as its connection
// lives, even while the client is paused; the end of the connection frees the lease at once. A
// client that holds a lock may take it again, under the token and the owner of its first
// grant, and must release it as often as it took it.
//
// It speaks lines of words separated by a space; names and owners are escaped
// (net/url). A request is an operation, a number of the client's choice and
// operands; every request but cancel is answered by one line with its number:
//
//	acquire N NAME OWNER   N granted TOKEN | N granted TOKEN OWNER (again) | N refused (only after a cancel)
//	acquire N NAME OWNER shared | acquire N NAME OWNER permits COUNT CAPACITY   (the same, beside other readers; of a semaphore)
//	acquire N NAME VALUE campaign   (the same, once for each connection: of an election)
//	try N NAME OWNER       N granted TOKEN | N granted TOKEN OWNER (again) | N refused
//	cancel N               (ends the acquire or upgrade N, which is answered)
//	release N NAME TOKEN   N released | N not-held
//	upgrade N NAME TOKEN   N upgraded | N refused (another waits to be; or after a cancel) | N not-held
//	downgrade N NAME TOKEN N downgraded | N not-held
//	owner N NAME           N free | N owner OWNER TOKEN
//	holders N NAME         N holders, and for each OWNER MODE PERMITS; MODE is exclusive, shared or permits
//	set-count N NAME COUNT | count-down N NAME PARTY | await N NAME   N set | N counted | N passed, or N refused after a cancel
//	enter N NAME PARTIES   N granted TOKEN | N refused (only after a cancel)
//	leave N TOKEN          N released | N not-held
type LocalServer struct {
	listener net.Listener
	wg       sync.WaitGroup

	mu     sync.Mutex
	closed bool
	conns  map[*localConn]struct{}
	locks  map[string]*localLock
	// last is the latest token. Tokens grow over all locks of the server.
	last uint64

	latches map[string]*localLatch
	// coming maps the name of a barrier to the parties that wait to enter.
	coming map[string][]*localWaiter
	// inside maps a token to the party inside a barrier.
	inside map[uint64]*localParty
}

// A localConn is one client's connection.
type localConn struct {
	conn net.Conn
	// mu guards writes, so that lines are not mixed.
	mu sync.Mutex
}

// A message is a line to be sent after the server's state is unlocked, so that a client that does
// not read cannot block the others.
type message struct {
	to   *localConn
	line string
}

// send writes the message to the client's connection.
func (m message) send() {
	m.to.mu.Lock()
	defer m.to.mu.Unlock()
	// A client that cannot be reached loses its connection, and with it its leases.
	if _, err := m.to.conn.Write([]byte(m.line + "\n")); err != nil {
		m.to.conn.Close()
	}
}

// ListenLocal starts a server on a free port of the loopback interface.
func ListenLocal() (*LocalServer, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start local lock server: %w", err)
	}
	s := &LocalServer{
		listener: l, conns: map[*localConn]struct{}{}, locks: map[string]*localLock{},
		latches: map[string]*localLatch{}, coming: map[string][]*localWaiter{}, inside: map[uint64]*localParty{},
	}
	s.wg.Add(1)
	go s.accept()
	return s, nil
}

// Addr returns the server's host:port.
func (s *LocalServer) Addr() string { return s.listener.Addr().String() }

// Close ends the server and all its connections.
func (s *LocalServer) Close() error {
	s.mu.Lock()
	s.closed = true
	for c := range s.conns {
		c.conn.Close()
	}
	s.mu.Unlock()
	err := s.listener.Close()
	s.wg.Wait()
	return err
}

// accept serves each connection in a goroutine of its own until the listener is closed.
func (s *LocalServer) accept() {
	defer s.wg.Done()
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			return
		}
		c := &localConn{conn: conn}
		s.mu.Lock()
		if s.closed {
			s.mu.Unlock()
			conn.Close()
			return
		}
		s.conns[c] = struct{}{}
		s.wg.Add(1)
		s.mu.Unlock()
		go s.serve(c)
	}
}

// serve answers one client until its connection ends, and then frees the client's holds and
// requests.
func (s *LocalServer) serve(c *localConn) {
	defer s.wg.Done()
	sc := bufio.NewScanner(c.conn)
	for sc.Scan() {
		m, ok := s.handle(c, strings.Fields(sc.Text()))
		if !ok {
			break // not a line of this protocol
		}
		for _, m := range m {
			m.send()
		}
	}
	s.mu.Lock()
	delete(s.conns, c)
	granted := s.drop(c)
	s.mu.Unlock()
	c.conn.Close() // the client reads the end only after the server has freed its holds
	for _, m := range granted {
		m.send()
	}
}

// handle carries out one request and returns the lines to send. It returns false for a line
// that breaks the protocol.
func (s *LocalServer) handle(c *localConn, w []string) ([]message, bool) {
	if len(w) < 2 {
		return nil, false
	}
	op, id, args := w[0], w[1], w[2:]
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case (op == "acquire" || op == "try") && len(args) >= 2:
		claim, ok := parseClaim(args[2:])
		if !ok {
			return nil, false
		}
		return s.acquire(&localWaiter{conn: c, id: id, name: args[0], owner: args[1], localClaim: claim}, op == "acquire"), true
	case op == "cancel":
		return s.cancel(c, id), true
	case (op == "release" || op == "upgrade" || op == "downgrade") && len(args) == 2:
		token, err := strconv.ParseUint(args[1], 10, 64)
		if err != nil {
			return nil, false
		}
		do := map[string]func(*localConn, string, string, uint64) []message{"release": s.release, "upgrade": s.upgrade, "downgrade": s.downgrade}[op]
		return do(c, id, args[0], token), true
	case op == "owner" && len(args) == 1:
		l := s.locks[args[0]]
		if l == nil || len(l.holders) == 0 {
			return []message{{c, id + " free"}}, true
		}
		return []message{{c, fmt.Sprintf("%s owner %s %d", id, l.holders[0].owner, l.holders[0].token)}}, true
	case op == "holders" && len(args) == 1:
		return []message{{c, id + " holders" + s.locks[args[0]].list()}}, true
	}
	return s.meet(c, op, id, args)
}

// parseClaim reads the words of an acquire after the name and the owner.
func parseClaim(words []string) (localClaim, bool) {
	switch {
	case len(words) == 0:
		return localClaim{}, true
	case len(words) == 1 && words[0] == "shared":
		return localClaim{shared: true}, true
	case len(words) == 1 && words[0] == "campaign":
		return localClaim{campaign: true}, true
	case len(words) == 3 && words[0] == "permits":
		n, err := strconv.Atoi(words[1])
		of, err2 := strconv.Atoi(words[2])
		return localClaim{permits: n, capacity: of}, err == nil && err2 == nil && 1 <= n && n <= of
	}
	return localClaim{}, false
}
