package server_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"locktorture/internal/resp"
	"locktorture/simulate/server"
)

const start = 1_767_225_600_000_000_000

// A talk is a server and what it has said.
type talk struct {
	t    *testing.T
	srv  server.Server
	said []string
}

// at feeds a command at a time after the start.
func (k *talk) at(after time.Duration, conn int, words ...string) {
	k.t.Helper()
	err := k.srv.Feed(start+int64(after), conn, resp.Append(nil, words...), func(conn int, b []byte) {
		k.said = append(k.said, strings.ReplaceAll(string(b), "\r\n", " "))
	})
	if err != nil {
		k.t.Fatalf("%v: %v", words, err)
	}
}

func (k *talk) connect(conns ...int) {
	k.t.Helper()
	for _, c := range conns {
		if err := k.srv.Connect(c); err != nil {
			k.t.Fatal(err)
		}
	}
}

func stepped(t *testing.T) *talk {
	t.Helper()
	s, err := server.StartStepped(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return &talk{t: t, srv: s}
}

func embedded(t *testing.T) *talk {
	t.Helper()
	s := server.NewEmbedded()
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return &talk{t: t, srv: s}
}

const compareAndDelete = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`

// lockWork is what locks ask of a server, with the end of each lease to the millisecond.
func lockWork(k *talk) {
	k.connect(1, 2)
	k.at(0, 1, "SET", "a", "one", "NX", "PX", "500")
	k.at(time.Millisecond, 2, "SET", "a", "two", "NX", "PX", "500")
	k.at(100*time.Millisecond, 2, "PTTL", "a")
	k.at(499*time.Millisecond, 2, "GET", "a")
	k.at(501*time.Millisecond, 2, "GET", "a")
	k.at(501*time.Millisecond, 2, "SET", "a", "two", "NX", "PX", "500")
	k.at(600*time.Millisecond, 1, "EVAL", compareAndDelete, "1", "a", "one")
	k.at(600*time.Millisecond, 2, "EVAL", compareAndDelete, "1", "a", "two")
	k.at(700*time.Millisecond, 2, "EVALSHA", "0000000000000000000000000000000000000000", "1", "a")
	k.at(800*time.Millisecond, 1, "SETNX", "b", "one")
	k.at(800*time.Millisecond, 1, "PEXPIRE", "b", "100")
	k.at(850*time.Millisecond, 2, "GETSET", "b", "two")
	k.at(950*time.Millisecond, 2, "GET", "b")
	k.at(time.Second, 1, "SET", "c", "1")
	k.at(time.Second, 1, "WATCH", "c")
	k.at(time.Second, 2, "SET", "c", "2")
	k.at(time.Second, 1, "MULTI")
	k.at(time.Second, 1, "DEL", "c")
	k.at(time.Second, 1, "EXEC")
	k.at(time.Second, 1, "INCR", "token")
	k.at(time.Second, 1, "HSET", "h", "f", "1")
	k.at(time.Second, 1, "HINCRBY", "h", "f", "2")
	k.at(time.Second, 1, "PTTL", "h")
}

// Both kinds of server say the same, twice: a server that was reset is a new one.
func TestServersAgree(t *testing.T) {
	kinds := map[string]*talk{"stepped": stepped(t), "embedded": embedded(t)}
	said := map[string]string{}
	for name, k := range kinds {
		for round := range 2 {
			k.said = nil
			lockWork(k)
			all := strings.Join(k.said, "\n")
			if round > 0 && said[name] != all {
				t.Errorf("%s, after a reset:\n%s\nbefore:\n%s", name, all, said[name])
			}
			said[name] = all
			if err := k.srv.Reset(); err != nil {
				t.Fatal(err)
			}
		}
	}
	a, b := strings.Split(said["stepped"], "\n"), strings.Split(said["embedded"], "\n")
	if len(a) != 23 || len(b) != 23 {
		t.Fatalf("%d and %d answers", len(a), len(b))
	}
	for i := range a {
		if errs := strings.HasPrefix(a[i], "-") && strings.HasPrefix(b[i], "-"); !errs && a[i] != b[i] {
			t.Errorf("answer %d: redis-server says %q, miniredis %q", i+1, a[i], b[i])
		}
	}
	if a[4] != "$-1 " || a[5] != "+OK " {
		t.Errorf("the lease did not end with its time: %q", a[:6])
	}
}

// What a server says unasked is there when the step that was the reason for it is over.
func TestPushes(t *testing.T) {
	k := stepped(t)
	k.connect(1, 2)
	k.at(0, 1, "HELLO", "3")
	k.at(0, 1, "SUBSCRIBE", "news")
	k.said = nil
	k.at(1, 2, "EVAL", `return redis.call('PUBLISH', 'news', 'free')`, "0")
	if got := strings.Join(k.said, "|"); got != ":1 |>3 $7 message $4 news $4 free " {
		t.Errorf("publish: %q", got)
	}
	k.connect(3)
	k.at(2, 3, "HELLO", "3")
	k.at(2, 3, "CLIENT", "TRACKING", "ON", "OPTIN")
	k.at(2, 3, "CLIENT", "CACHING", "YES")
	k.at(2, 3, "GET", "a")
	k.said = nil
	k.at(3, 2, "SET", "a", "1")
	if got := strings.Join(k.said, "|"); got != "+OK |>2 $10 invalidate *1 $1 a " {
		t.Errorf("tracking: %q", got)
	}
}

// The numbers of connections are the same after a reset, whatever the server's own are.
func TestNumbers(t *testing.T) {
	k := stepped(t)
	for range 2 {
		k.said = nil
		k.connect(1, 2, 3)
		k.at(0, 2, "client", "id")
		k.at(0, 1, "CLIENT", "ID")
		k.at(0, 2, "CLIENT", "ID")
		k.at(0, 3, "HELLO", "2")
		k.at(0, 3, "HELLO", "2")
		k.at(0, 3, "MULTI")
		k.at(0, 3, "CLIENT", "ID")
		if got := strings.Join(k.said[:3], "|"); got != ":1 |:2 |:1 " {
			t.Errorf("CLIENT ID: %q", got)
		}
		for _, hello := range k.said[3:5] {
			if !strings.Contains(hello, "$2 id :3 ") {
				t.Errorf("HELLO: %q", hello)
			}
		}
		if got := k.said[6]; got != "+QUEUED " {
			t.Errorf("within MULTI: %q", got)
		}
		if err := k.srv.Reset(); err != nil {
			t.Fatal(err)
		}
	}
}

// A request that has not arrived whole is not answered, and of several each is.
func TestParts(t *testing.T) {
	for _, k := range []*talk{stepped(t), embedded(t)} {
		k.connect(1)
		b := resp.Append(resp.Append(nil, "SET", "a", "1"), "GET", "a")
		for i := range b {
			err := k.srv.Feed(start, 1, b[i:i+1], func(_ int, b []byte) { k.said = append(k.said, string(b)) })
			if err != nil {
				t.Fatal(err)
			}
			if want := map[bool]int{true: 1, false: 0}[i+1 >= len(b)-len(resp.Append(nil, "GET", "a"))]; i+1 < len(b) && len(k.said) != want {
				t.Fatalf("%d answers after %d bytes, want %d", len(k.said), i+1, want)
			}
		}
		if len(k.said) != 2 || k.said[1] != "$1\r\n1\r\n" {
			t.Errorf("%s: %q", k.srv.Version(), k.said)
		}
		k.said = nil
		if err := k.srv.Feed(start, 1, b, func(_ int, b []byte) { k.said = append(k.said, string(b)) }); err != nil {
			t.Fatal(err)
		}
		if want := []string{"+OK\r\n", "$1\r\n1\r\n"}; !slices.Equal(k.said, want) {
			t.Errorf("%s, both at once: %q", k.srv.Version(), k.said)
		}
	}
}

// What cannot be simulated is refused with the reason.
func TestRefused(t *testing.T) {
	e, s := embedded(t), stepped(t)
	for _, c := range []struct {
		on    *talk
		words []string
		want  string
	}{
		{s, []string{"MONITOR"}, "not simulated: MONITOR: it would show the simulation's own commands"},
		{s, []string{"client", "pause", "100"}, "faults hold"},
		{s, []string{"CLIENT", "LIST"}, "differ from run to run"},
		{s, []string{"CLIENT", "TRACKING", "ON", "redirect", "3"}, "differ from run to run"},
		{s, []string{"PSYNC", "?", "-1"}, "no replication"},
		{s, []string{"DEBUG", "SLEEP", "1"}, "the simulation controls the server"},
		{e, []string{"BLPOP", "a", "0"}, "waits in real time"},
		{e, []string{"XREAD", "block", "0", "STREAMS", "s", "$"}, "a redis-server can"},
		{e, []string{"SUBSCRIBE", "a"}, "cannot be stepped"},
		{e, []string{"CLIENT", "TRACKING", "ON"}, "cannot be stepped"},
	} {
		c.on.connect(1)
		err := c.on.srv.Feed(start, 1, resp.Append(nil, c.words...), func(int, []byte) {})
		if !errors.Is(err, server.ErrRefused) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v on %s: %v, want %q", c.words, c.on.srv.Version(), err, c.want)
		}
	}
}

// Where there is no redis-server, a lock that needs no pushes has embedded servers, with the
// reason.
func TestNoRedis(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	all, why, err := server.Start(t.Context(), 2, false)
	if err != nil || len(all) != 2 || !strings.HasPrefix(all[0].Version(), "miniredis") || !strings.Contains(why, "redis-server") {
		t.Errorf("%v, %q, %v", all, why, err)
	}
	if _, _, err := server.Start(t.Context(), 1, true); !errors.Is(err, server.ErrNoRedis) {
		t.Errorf("a server that pushes: %v", err)
	}
}

// A restart ends connections and forgets scripts; data it forgets only where they are to be
// lost.
func TestRestart(t *testing.T) {
	for name, k := range map[string]*talk{"stepped": stepped(t), "embedded": embedded(t)} {
		k.connect(1)
		k.at(0, 1, "SET", "a", "one")
		k.at(0, 1, "SCRIPT", "LOAD", "return 7")
		loaded := strings.Fields(k.said[1])[1]
		k.at(0, 1, "EVALSHA", loaded, "0")
		for i, want := range []string{"$3 one ", "$-1 "} {
			if err := k.srv.Restart(i == 1); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			k.at(0, 1+i, "GET", "a") // its connection is gone
			k.connect(2 + i)
			k.at(0, 2+i, "GET", "a")
			k.at(0, 2+i, "EVALSHA", loaded, "0")
			if n := len(k.said); n != 5+2*i || k.said[n-2] != want || !strings.HasPrefix(k.said[n-1], "-NOSCRIPT") {
				t.Errorf("%s, restart %d: %q", name, i+1, k.said)
			}
		}
	}
}
