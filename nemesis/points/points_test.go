package points_test

import (
	"bytes"
	"testing"

	"locktorture/nemesis/points"
)

// Messages have the names that the grammar of schedules promises.
func TestNames(t *testing.T) {
	var c points.Conn
	for _, s := range []struct {
		words string // of a command; "": what follows is a reply
		reply string
		what  string
		point bool
	}{
		{words: "hello 3", what: "HELLO"},
		{reply: "%1\r\n+a\r\n+b\r\n", what: "HELLO=value"},
		{words: "set k v nx px 500", what: "SET", point: true},
		{words: "evalsha abc 1 k", what: "EVAL", point: true},
		{words: "eval return 1 k", what: "EVAL", point: true},
		{reply: "+OK\r\n", what: "SET=OK", point: true},
		{reply: ">2\r\n+invalidate\r\n*0\r\n", what: "PUSH=value", point: true},
		{reply: "-NOSCRIPT No matching script.\r\n", what: "EVAL=NOSCRIPT", point: true},
		{reply: ":1\r\n", what: "EVAL=1", point: true},
		{words: "subscribe ch", what: "SUBSCRIBE", point: true},
		{words: "get k", what: "GET", point: true},
		{reply: ">3\r\n$9\r\nsubscribe\r\n$2\r\nch\r\n:1\r\n", what: "PUSH=value", point: true},
		{reply: "$-1\r\n", what: "GET=nil", point: true},
		{words: "set k v nx", what: "SET", point: true},
		{reply: "_\r\n", what: "SET=nil", point: true},
		{words: "get k", what: "GET", point: true},
		{reply: "$1\r\nv\r\n", what: "GET=value", point: true},
		{reply: "*3\r\n$7\r\nmessage\r\n$2\r\nch\r\n$1\r\nx\r\n", what: "PUSH=value", point: true},
	} {
		what, point := "", false
		if s.words != "" {
			what, point = c.Command(bytes.Fields([]byte(s.words)))
		} else {
			what, point = c.Reply([]byte(s.reply))
		}
		if what != s.what || point != s.point {
			t.Errorf("%s%q: %q, %v, want %q, %v", s.words, s.reply, what, point, s.what, s.point)
		}
	}
	if what, point := new(points.Conn).Command(nil); what != "?" || point {
		t.Errorf("an empty command: %q, %v", what, point)
	}
}
