// Package points names the moments of a run at which a fault can strike. It derives the names
// from the messages on a connection to a Redis. The simulator and a run on real servers both
// take the names from here, so that a schedule means the same in both.
//
// A command is "send SET", its answer "reply SET=OK". A push, which answers no request, is "reply
// PUSH=value". The messages by which libraries introduce themselves are no points.
package points

import (
	"bytes"
	"strings"
)

// A Conn names the messages of one connection.
type Conn struct {
	asked []string // requests without an answer yet
}

// Command returns the name of a sent command, and whether it is a point.
func (c *Conn) Command(words [][]byte) (what string, point bool) {
	name := commandName(words)
	if !strings.HasSuffix(name, "SUBSCRIBE") { // answered by a push
		c.asked = append(c.asked, name)
	}
	return name, !introduces(name)
}

// Reply returns the name of the reply or push in b, and whether it is a point.
func (c *Conn) Reply(b []byte) (what string, point bool) {
	name := "PUSH"
	if len(c.asked) > 0 && b[0] != '>' {
		name, c.asked = c.asked[0], c.asked[1:]
	}
	return name + "=" + outcome(b), !introduces(name)
}

// commandName returns the name of a command. A script has the same name, whether it is sent whole
// or by its hash.
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

// introduces reports whether a library introduces itself with the command.
func introduces(command string) bool {
	switch command {
	case "HELLO", "CLIENT", "COMMAND", "AUTH", "SELECT", "?":
		return true
	}
	return false
}

// outcome returns one word for a reply.
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
