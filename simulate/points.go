package simulate

import (
	"bytes"
	"strings"

	"locktorture/simulate/inside"
	"locktorture/simulate/schedule"
	"locktorture/simulate/server"
)

// A Point is a moment of a run at which a fault can strike. Its name says which one, in words that do not depend on when it is:
// "c1 send SET redis-2 #3" is the third SET of client 1 to that server, "c2 reply SET=OK redis-1 #1" the first OK to one.
// "c1 gate write #1" is the gate before its first write. The messages by which libraries introduce themselves are no points,
// and what comes before the main phase or after it is none.
type Point struct {
	schedule.Point
	At int64 // ns of virtual time
}

// sending comes to the points of a request, one for each command that is whole by now.
func (c *conn) sending(b []byte, m *message) {
	c.rest = append(c.rest, b...)
	for len(c.rest) > 0 {
		n, words, err := server.Command(c.rest)
		if err != nil {
			return
		}
		c.rest = c.rest[n:]
		name := commandName(words)
		if !strings.HasSuffix(name, "SUBSCRIBE") { // which is answered by a push
			c.asked = append(c.asked, name)
		}
		c.point(schedule.Send, name, name, m)
	}
}

// replying comes to the point of a reply.
func (c *conn) replying(b []byte, m *message) {
	name := "PUSH"
	if len(c.asked) > 0 && b[0] != '>' {
		name, c.asked = c.asked[0], c.asked[1:]
	}
	c.point(schedule.Reply, name, name+"="+outcome(b), m)
}

func (c *conn) point(kind, command, what string, m *message) {
	if c.client.client == 0 || introduces(command) {
		return
	}
	c.w.point(schedule.Point{Client: c.client.client, Kind: kind, What: what, Node: c.node.number}, site{c.client, m})
}

// gate is a client's that is about to take a step. It returns whether it waits there until it is told to go on.
func (w *world) gate(client int, step string) bool {
	struck := w.point(schedule.Point{Client: client, Kind: schedule.Gate, What: step}, site{client: w.drivers[client]})
	if struck {
		w.tell(inside.Message{Go: client})
	}
	return struck
}

// commandName is the name of a command. Scripts have one, whether they are sent whole or by their sum.
func commandName(words [][]byte) string {
	if len(words) == 0 {
		return "?"
	}
	name := strings.ToUpper(string(words[0]))
	if name == "EVALSHA" {
		return "EVAL"
	}
	return name
}

// introduces tells of commands by which a library introduces itself.
func introduces(command string) bool {
	switch command {
	case "HELLO", "CLIENT", "COMMAND", "AUTH", "SELECT", "?":
		return true
	}
	return false
}

// outcome is a reply in a word.
func outcome(b []byte) string {
	text, _, _ := bytes.Cut(b, []byte("\r\n"))
	switch {
	case len(text) == 0:
		return "?"
	case text[0] == '-' || text[0] == '+' || text[0] == ':':
		word, _, _ := bytes.Cut(text[1:], []byte(" "))
		return string(word)
	case text[0] == '_' || string(text) == "$-1" || string(text) == "*-1":
		return "nil"
	}
	return "value"
}
