// Package points names the moments of a run at which a fault can strike, from what passes on a
// connection to a Redis. The simulator and a run on real servers take the names from here, so
// that a schedule means the same in both.
//
// A command is "send SET", its answer "reply SET=OK"; a push, which nobody has asked for, is
// "reply PUSH=value". The messages by which libraries introduce themselves are no points.
package points

import (
	"bytes"
	"strings"
)

// A Conn names the messages of one connection.
type Conn struct {
	asked []string // requests that are not answered
}

// Command is the name of a command that is sent, and whether it is a point.
func (c *Conn) Command(words [][]byte) (what string, point bool) {
	name := commandName(words)
	if !strings.HasSuffix(name, "SUBSCRIBE") { // which is answered by a push
		c.asked = append(c.asked, name)
	}
	return name, !introduces(name)
}

// Reply is the name of a reply, or of a push, that is b, and whether it is a point.
func (c *Conn) Reply(b []byte) (what string, point bool) {
	name := "PUSH"
	if len(c.asked) > 0 && b[0] != '>' {
		name, c.asked = c.asked[0], c.asked[1:]
	}
	return name + "=" + outcome(b), !introduces(name)
}

// commandName is the name of a command. Scripts have one, whether they are sent whole or by
// their sum.
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
