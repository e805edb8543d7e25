package server

import (
	"bytes"
	"regexp"
	"strconv"

	"locktorture/internal/resp"
)

// numbered matches the connection number in the answer to HELLO.
var numbered = regexp.MustCompile(`^([*%]\d+\r\n(?s:.*?)\$2\r\nid\r\n):\d+`)

// A counter numbers the connections of a run that ask for their number. The server's own numbers
// count from its start, so they differ from run to run.
type counter struct{ last int }

// An asker is the state that a counter keeps for one connection.
type asker struct {
	number int       // 0: not numbered yet
	queued []command // commands since MULTI
}

// plain returns the reply to a command with the counter's number in place of the server's.
func (k *counter) plain(cmd command, reply []byte, a *asker) []byte {
	switch {
	case bytes.HasPrefix(reply, []byte(">")): // a push between request and reply
	case bytes.HasPrefix(reply, []byte("+QUEUED")):
		a.queued = append(a.queued, cmd)
	case cmd.name == "EXEC":
		return k.executed(reply, a)
	case cmd.name == "MULTI" || cmd.name == "DISCARD" || cmd.name == "RESET":
		if bytes.HasPrefix(reply, []byte("+")) {
			a.queued = nil
		}
	default:
		return k.one(cmd, reply, a)
	}
	return reply
}

// executed returns the reply to EXEC with the counter's numbers in the replies to the queued
// commands.
func (k *counter) executed(replies []byte, a *asker) []byte {
	queued := a.queued
	a.queued = nil
	head := []byte("*" + strconv.Itoa(len(queued)) + "\r\n")
	if !bytes.HasPrefix(replies, head) {
		return replies // an error, or EXEC was aborted
	}
	out, rest := head, replies[len(head):]
	for _, cmd := range queued {
		n, _, err := resp.Reply(rest)
		if err != nil {
			return replies
		}
		out, rest = append(out, k.one(cmd, rest[:n], a)...), rest[n:]
	}
	return append(out, rest...)
}

func (k *counter) one(cmd command, reply []byte, a *asker) []byte {
	id := cmd.name == "CLIENT" && cmd.arg == "ID"
	if !id && cmd.name != "HELLO" {
		return reply
	}
	if a.number == 0 {
		k.last++
		a.number = k.last
	}
	number := strconv.AppendInt([]byte(":"), int64(a.number), 10)
	if !id {
		return numbered.ReplaceAll(reply, append([]byte("${1}"), number...))
	}
	if bytes.HasPrefix(reply, []byte(":")) {
		return append(number, "\r\n"...)
	}
	return reply
}
