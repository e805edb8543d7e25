package redis_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktorture/wire"
	"locktorture/wire/redis"
	"locktorture/wire/wiretest"
)

// resp returns a command as clients send it.
func resp(args ...string) string {
	out := fmt.Sprintf("*%d\r\n", len(args))
	for _, a := range args {
		out += fmt.Sprintf("$%d\r\n%s\r\n", len(a), a)
	}
	return out
}

func texts(messages []wire.Message) (out []string) {
	for _, m := range messages {
		text := m.String()
		if m.Of != "" {
			text += " | " + m.Of
		}
		out = append(out, text)
	}
	return out
}

// TestDecode: requests and replies, each said in the order of its rows, pair by pair.
func TestDecode(t *testing.T) {
	script := "-- Takes the lock.\nreturn 1"
	for _, tt := range []struct {
		name              string
		requests, replies string
		want              []string
	}{
		{"a command", resp("set", "k", "v v", "NX", "PX", "2000"), "+OK\r\n", []string{`SET k "v v" NX PX 2000`, `OK | SET k "v v" NX PX 2000`}},
		{"nil", resp("GET", "k"), "$-1\r\n", []string{"GET k", "nil | GET k"}},
		{"nil of RESP 3", resp("GET", "k"), "_\r\n", []string{"GET k", "nil | GET k"}},
		{"an error", resp("INCR", "k"), "-ERR no integer\r\n", []string{"INCR k", `error "ERR no integer" | INCR k`}},
		{"a pipeline", resp("SETNX", "k", "1") + resp("PEXPIRE", "k", "500"), ":1\r\n:0\r\n",
			[]string{"SETNX k 1", "PEXPIRE k 500", "1 | SETNX k 1", "0 | PEXPIRE k 500"}},
		{"a transaction", resp("MULTI") + resp("INCR", "k") + resp("EXEC"), "+OK\r\n+QUEUED\r\n*1\r\n:2\r\n",
			[]string{"MULTI", "INCR k", "EXEC", "OK | MULTI", "QUEUED | INCR k", "[2] | EXEC"}},
		{"a script by its source and by its sum", resp("EVAL", script, "1", "k", "v") + resp("EVALSHA", "b9e2d1a9c1d5b1", "1", "k", "v"), "",
			[]string{`EVAL script("Takes the lock.") keys k args v`, "EVALSHA sha1:b9e2d1a9 keys k args v"}},
		{"a script that is known", resp("EVAL", "return 2", "2", "a", "b"), "", []string{"EVAL two.lua keys a b args"}},
		{"a script that is loaded", resp("SCRIPT", "LOAD", "return 2"), "", []string{"SCRIPT LOAD two.lua"}},
		{"HELLO", resp("HELLO", "3"), "%2\r\n$6\r\nserver\r\n$5\r\nredis\r\n$5\r\nproto\r\n:3\r\n", []string{"HELLO 3", "[server redis proto 3] | HELLO 3"}},
		{"pushes", resp("GET", "k"), ">2\r\n$10\r\ninvalidate\r\n*1\r\n$1\r\nk\r\n$1\r\nv\r\n", []string{"GET k", "push [invalidate [k]]", "v | GET k"}},
		{"a subscription of RESP 2", resp("SUBSCRIBE", "a", "b") + resp("PING"),
			"*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n*3\r\n$7\r\nmessage\r\n$1\r\na\r\n$2\r\nhi\r\n+PONG\r\n",
			[]string{"SUBSCRIBE a b", "PING", "push [subscribe a 1]", "push [message a hi]", "PONG | PING"}},
		{"inline", "PING\r\nset k v\r\n", "+PONG\r\n", []string{"PING", "SET k v", "PONG | PING"}},
		{"other values of RESP 3", resp("X"), "*5\r\n#t\r\n,1.5\r\n(123456789012345678901234567890\r\n=7\r\ntxt:abc\r\n~1\r\n:1\r\n",
			[]string{"X", "[true 1.5 123456789012345678901234567890 txt:abc [1]] | X"}},
		{"bytes that are no RESP", "\x16\x03\x01\x02\n", "\x00\x01", []string{`5 bytes "\x16\x03\x01\x02\n"`, `2 bytes "\x00\x01"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := redis.New(redis.NewScripts(map[string]string{"two.lua": "return 2"}))
			got := append(texts(d.Decode(false, []byte(tt.requests))), texts(d.Decode(true, []byte(tt.replies)))...)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			d = redis.New(redis.NewScripts(map[string]string{"two.lua": "return 2"}))
			var slow []string
			for _, b := range []byte(tt.requests) {
				slow = append(slow, texts(d.Decode(false, []byte{b}))...)
			}
			for _, b := range []byte(tt.replies) {
				slow = append(slow, texts(d.Decode(true, []byte{b}))...)
			}
			if diff := cmp.Diff(tt.want, slow); diff != "" && !strings.Contains(tt.name, "no RESP") {
				t.Errorf("byte by byte (-want +got):\n%s", diff)
			}
		})
	}
}

// TestGap: after a gap replies before the next request answer nothing that is known.
func TestGap(t *testing.T) {
	d := redis.New(redis.NewScripts(nil))
	d.Decode(false, []byte(resp("GET", "a")+"*2\r\n$3\r\nG"))
	d.Gap()
	got := texts(d.Decode(true, []byte("+OK\r\n")))
	got = append(got, texts(d.Decode(false, []byte(resp("GET", "b"))))...)
	got = append(got, texts(d.Decode(true, []byte(":1\r\n")))...)
	got = append(got, texts(d.Decode(false, []byte(resp("GET", "c")+resp("GET", "d"))))...) // several at once: who knows since when
	got = append(got, texts(d.Decode(true, []byte(":2\r\n:3\r\n")))...)
	if diff := cmp.Diff([]string{"OK", "GET b", "1 | GET b", "GET c", "GET d", "2", "3"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestUndecoded: after bytes that are no RESP, no reply answers anything that is known.
func TestUndecoded(t *testing.T) {
	d := redis.New(redis.NewScripts(nil))
	d.Decode(false, []byte(resp("GET", "a")+resp("GET", "b")))
	got := texts(d.Decode(true, []byte("\x00\x01")))
	got = append(got, texts(d.Decode(true, []byte(":1\r\n")))...)
	got = append(got, texts(d.Decode(false, []byte(resp("GET", "c"))))...)
	got = append(got, texts(d.Decode(true, []byte(":2\r\n")))...)
	if diff := cmp.Diff([]string{`2 bytes "\x00\x01"`, "1", "GET c", "2"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func decoder() wire.Decoder { return redis.New(redis.NewScripts(nil)) }

// TestReal decodes what Redis and the clients of four locks said: SET and scripts that were not
// known yet, WATCH with MULTI, RESP 3 with pushes, INCR in a script.
func TestReal(t *testing.T) { wiretest.Golden(t, decoder) }

// FuzzDecode: no bytes are lost or made up, however they are cut.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(resp("SUBSCRIBE", "a")), []byte("*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n"), uint16(3))
	f.Add([]byte("PING\r\n"), []byte(">1\r\n%1\r\n+a\r\n_\r\n*2\r\n:1\r\n*1\r\n$-1\r\n"), uint16(0))
	wiretest.Fuzz(f, decoder)
}
