package server

import "testing"

func TestPlain(t *testing.T) {
	hello, id := command{name: "HELLO"}, command{name: "CLIENT", arg: "ID"}
	for _, c := range []struct {
		of        command
		said, got string
	}{
		{hello, "*4\r\n$6\r\nserver\r\n$5\r\nredis\r\n$2\r\nid\r\n:481\r\n", "*4\r\n$6\r\nserver\r\n$5\r\nredis\r\n$2\r\nid\r\n:3\r\n"},
		{hello, "%1\r\n$2\r\nid\r\n:7\r\n", "%1\r\n$2\r\nid\r\n:3\r\n"},
		{hello, "-NOPROTO\r\n", "-NOPROTO\r\n"},
		{id, ":481\r\n", ":3\r\n"},
		{id, "-ERR\r\n", "-ERR\r\n"},
		{command{name: "INCR"}, ":481\r\n", ":481\r\n"},
	} {
		number := 0
		if got := string((&counter{last: 2}).plain(c.of, []byte(c.said), &number)); got != c.got {
			t.Errorf("%q, want %q", got, c.got)
		}
	}
}
