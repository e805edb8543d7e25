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
		if got := string((&counter{last: 2}).plain(c.of, []byte(c.said), &asker{})); got != c.got {
			t.Errorf("%q, want %q", got, c.got)
		}
	}
}

// TestPlainInTransaction: the answer to CLIENT ID within MULTI stands in that to EXEC. A nested
// MULTI is an error, and ends nothing.
func TestPlainInTransaction(t *testing.T) {
	k, a := counter{last: 2}, asker{}
	for _, c := range []struct{ name, arg, said, got string }{
		{"MULTI", "", "+OK", "+OK"}, {"INCR", "A", "+QUEUED", "+QUEUED"}, {"MULTI", "", "-ERR nested", "-ERR nested"},
		{"CLIENT", "ID", "+QUEUED", "+QUEUED"}, {"EXEC", "", ">1\r\n:481", ">1\r\n:481"}, {"EXEC", "", "*2\r\n:481\r\n:481", "*2\r\n:481\r\n:3"},
		{"MULTI", "", "+OK", "+OK"}, {"CLIENT", "ID", "+QUEUED", "+QUEUED"}, {"DISCARD", "", "+OK", "+OK"},
		{"MULTI", "", "+OK", "+OK"}, {"INCR", "A", "+QUEUED", "+QUEUED"}, {"EXEC", "", "*1\r\n:481", "*1\r\n:481"},
		{"MULTI", "", "+OK", "+OK"}, {"CLIENT", "ID", "+QUEUED", "+QUEUED"}, {"EXEC", "", "*-1", "*-1"},
	} {
		if got := string(k.plain(command{name: c.name, arg: c.arg}, []byte(c.said+"\r\n"), &a)); got != c.got+"\r\n" {
			t.Errorf("%s %s: %q, want %q", c.name, c.arg, got, c.got)
		}
	}
}
