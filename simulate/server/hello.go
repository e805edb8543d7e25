package server

import (
	"bytes"
	"regexp"
	"strconv"
)

// numbered is the number of a connection in the answer to HELLO.
var numbered = regexp.MustCompile(`^([*%]\d+\r\n(?s:.*?)\$2\r\nid\r\n):\d+`)

// A counter counts the connections of a run that ask for their number. The server's own numbers
// count from its start, so they differ from run to run.
type counter struct{ last int }

// plain is the reply to a command, with the counter's number in place of the server's. own is
// where the number of the connection is kept; 0: it has none yet.
func (k *counter) plain(cmd command, reply []byte, own *int) []byte {
	id := cmd.name == "CLIENT" && cmd.arg == "ID"
	if !id && cmd.name != "HELLO" {
		return reply
	}
	if *own == 0 {
		k.last++
		*own = k.last
	}
	number := strconv.AppendInt([]byte(":"), int64(*own), 10)
	if !id {
		return numbered.ReplaceAll(reply, append([]byte("${1}"), number...))
	}
	if bytes.HasPrefix(reply, []byte(":")) { // within MULTI it is QUEUED
		return append(number, "\r\n"...)
	}
	return reply
}
