package server_test

import (
	"bufio"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"locktorture/internal/resp"
)

// A line is what a client says to a server, or one of the marks.
type line struct {
	conn int
	text string // "": nothing is said until what is due by then is over; "close": the connection ends
	at   time.Duration
}

// blocked is what queues of locks ask of a server: who comes first is served first, a push
// serves one, and a time ends a wait.
var blocked = []line{
	{1, "BLPOP q 0", 0}, {2, "BRPOP q 0", 1}, {3, "BLPOP q 0", 2}, {4, "RPUSH q a b", 3}, {4, "LPUSH q c d", 4}, {4, "LRANGE q 0 -1", 5},
	{1, "BLPOP none 0.15", 100}, {2, "BLMOVE none other LEFT RIGHT 0.3", 101}, {0, "", 700},
	{1, "BLMOVE src dst LEFT RIGHT 0", 710}, {2, "BRPOPLPUSH dst end 0", 711}, {4, "LPUSH src x", 712}, {4, "LRANGE end 0 -1", 713},
	{1, "BZPOPMIN z 0", 720}, {2, "BZPOPMAX z 0", 721}, {4, "ZADD z 1 one 2 two 3 three", 722},
	{1, "XREAD BLOCK 0 STREAMS s $", 730}, {2, "XREAD BLOCK 100 STREAMS none $", 731}, {4, "XADD s 1-1 f v", 732}, {0, "", 1300},
	{4, "XGROUP CREATE s g $", 1301}, {1, "XREADGROUP GROUP g c BLOCK 0 STREAMS s >", 1302}, {4, "XADD s 2-1 f w", 1303},
	{1, "WAIT 0 0", 1310}, {1, "WAIT 1 100", 1311}, {0, "", 1900},
	{1, "MULTI", 1910}, {1, "BLPOP none 0", 1911}, {1, "EXEC", 1912}, {1, "EVAL return(redis.call('BLPOP','none',0)) 0", 1913},
	{1, "BLPOP q 0", 1920}, {1, "GET a", 1921}, {1, "BLPOP q2 0", 1922}, {4, "SET a 1", 1923}, {4, "LPUSH q y", 1924}, {4, "LPUSH q2 z", 1925},
	{1, "BLPOP dead 0", 1930}, {2, "BLPOP dead 0", 1931}, {1, "close", 1932}, {4, "LPUSH dead e", 1933},
	{3, "HELLO 3", 1940}, {3, "BLPOP none 0.01", 1941}, {0, "", 2400}, {3, "SUBSCRIBE news", 2401}, {3, "BLPOP q3 0", 2402},
	{4, "PUBLISH news hi", 2403}, {4, "RPUSH q3 last", 2404},
}

// Whom a real server lets wait, whom it serves, and what it says, the stepped one does, too.
func TestWaitsBesideReal(t *testing.T) {
	k := stepped(t)
	r := real(t)
	k.connect(1, 2, 3, 4, 5)
	said := map[int][]string{}
	for _, l := range blocked {
		n := 0
		take := func(conn int, b []byte) {
			if conn != 5 {
				said[conn], n = append(said[conn], string(b)), n+1
			}
		}
		words, conn := strings.Fields(l.text), l.conn
		switch l.text {
		case "":
			words, conn = []string{"PING"}, 5
		case "close":
			k.srv.Disconnect(conn)
			words, conn = []string{"PING"}, 5
			r.close(l.conn)
		default:
			r.say(l.conn, words...)
		}
		if err := k.srv.Feed(start+int64(l.at*time.Millisecond), conn, resp.Append(nil, words...), take); err != nil {
			t.Fatalf("%s: %v", l.text, err)
		}
		r.await(n)
	}
	if k.srv.Waiting() {
		t.Error("somebody still waits")
	}
	for conn := range 4 {
		a, b := said[conn+1], r.said[conn+1]
		hello := func(s string) bool { return strings.HasPrefix(s, "%") } // has the number of the connection
		a, b = slices.DeleteFunc(a, hello), slices.DeleteFunc(b, hello)
		if !slices.Equal(a, b) {
			t.Errorf("connection %d: the stepped server said\n%q\nthe real one\n%q", conn+1, a, b)
		}
	}
}

// A time that is over is not noticed before the server next does something: what comes first is
// done first, as by a real one, which looks ten times a second.
func TestServedLate(t *testing.T) {
	k := stepped(t)
	k.connect(1, 2)
	for i := range 50 {
		at := time.Duration(i) * time.Second
		k.said = nil
		k.at(at, 1, "BLPOP", "q", "0.5")
		k.connect(3)
		k.at(at+500*time.Millisecond, 3, "PING") // not over: it is over a millisecond later
		k.srv.Disconnect(3)
		k.at(at+600*time.Millisecond, 2, "LPUSH", "q", "late")
		if got := strings.Join(k.said, "|"); got != "+PONG |:1 |*2 $1 q $4 late " {
			t.Fatalf("round %d: %q", i+1, got)
		}
	}
	k.said = nil
	k.at(time.Minute, 1, "BLPOP", "q", "0.5")
	k.at(time.Minute+600*time.Millisecond, 2, "PING")
	if got := strings.Join(k.said, "|"); got != "+PONG |*-1 " {
		t.Errorf("after its time: %q", got)
	}
}

// A realServer is a redis-server as everybody has it, and what it has said.
type realServer struct {
	t     *testing.T
	conns map[int]net.Conn
	all   chan struct{} // an answer has come

	mu   sync.Mutex
	said map[int][]string
}

// answerLimit is how long the answers of a busy machine may take.
const answerLimit = 2 * time.Minute

func real(t *testing.T) *realServer {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(dir, "s")
	cmd := exec.Command("redis-server", "--port", "0", "--unixsocket", socket, "--dir", dir, "--save", "")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	r := &realServer{t: t, conns: map[int]net.Conn{}, all: make(chan struct{}, 1000), said: map[int][]string{}}
	for conn := range 5 {
		r.conns[conn+1] = dial(t, socket)
		if conn < 4 {
			go r.listen(conn+1, r.conns[conn+1])
		}
	}
	return r
}

func dial(t *testing.T, socket string) net.Conn {
	t.Helper()
	for end := time.Now().Add(answerLimit); ; time.Sleep(10 * time.Millisecond) {
		c, err := net.Dial("unix", socket)
		if err == nil {
			t.Cleanup(func() { _ = c.Close() })
			return c
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}

// listen takes what the server says over a connection.
func (r *realServer) listen(conn int, c net.Conn) {
	var b []byte
	for buf := make([]byte, 4096); ; {
		n, err := c.Read(buf)
		if err != nil {
			return
		}
		b = append(b, buf[:n]...)
		for {
			n, _, err := resp.Reply(b)
			if err != nil {
				break
			}
			r.mu.Lock()
			r.said[conn] = append(r.said[conn], string(b[:n]))
			r.mu.Unlock()
			b = b[n:]
			r.all <- struct{}{}
		}
	}
}

func (r *realServer) say(conn int, words ...string) {
	r.t.Helper()
	if _, err := r.conns[conn].Write(resp.Append(nil, words...)); err != nil {
		r.t.Fatal(err)
	}
	r.settle()
}

func (r *realServer) close(conn int) { _ = r.conns[conn].Close(); r.settle() }

// settle waits until the server has read what it was sent.
func (r *realServer) settle() {
	r.t.Helper()
	for range 2 {
		fmt.Fprint(r.conns[5], "PING\r\n")
		if s, err := bufio.NewReader(r.conns[5]).ReadString('\n'); err != nil || s != "+PONG\r\n" {
			r.t.Fatalf("%q, %v", s, err)
		}
	}
}

// await waits for so many answers.
func (r *realServer) await(n int) {
	r.t.Helper()
	for range n {
		select {
		case <-r.all:
		case <-time.After(answerLimit):
			r.mu.Lock()
			r.t.Fatalf("the real server said %v", r.said)
		}
	}
}
