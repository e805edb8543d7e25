package server

import (
	"regexp"
	"strconv"
)

// numbered is the number of a connection in the answer to HELLO.
var numbered = regexp.MustCompile(`^([*%]\d+\r\n(?s:.*?)\$2\r\nid\r\n):\d+`)

// renumber replaces the number by one that counts the connections of this run: the server's
// counts from its start.
func renumber(reply []byte, n int) []byte {
	return numbered.ReplaceAll(reply, []byte("${1}:"+strconv.Itoa(n)))
}
