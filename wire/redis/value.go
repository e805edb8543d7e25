package redis

import (
	"bytes"
	"strings"

	"locktorture/wire"
)

// A value is a reply, as text.
type value struct {
	text  string
	first string // of an aggregate: its first element
	push  bool
}

// longestReply is from how many bytes on the rest of an aggregate is not shown.
const longestReply = 1000

// deepest bounds how far values lie in each other.
const deepest = 32

func parse(b []byte) (value, int, error) { return parseAt(b, 0) }

func parseAt(b []byte, depth int) (value, int, error) {
	switch {
	case len(b) == 0:
		return value{}, 0, wire.ErrShort
	case depth > deepest:
		return value{}, 0, errNotRESP
	}
	switch b[0] {
	case '+', '-', ':', ',', '(', '#', '_':
		return simple(b)
	case '$', '!', '=':
		return long(b)
	case '*', '~', '>':
		return aggregate(b, 1, depth)
	case '%', '|':
		return aggregate(b, 2, depth)
	}
	return value{}, 0, errNotRESP
}

// simple reads a value that takes one line.
func simple(b []byte) (value, int, error) {
	end := bytes.IndexByte(b, '\n')
	switch {
	case end < 0 && len(b) <= longestLine:
		return value{}, 0, wire.ErrShort
	case end < 2 && b[0] != '_' || end < 1 || b[end-1] != '\r':
		return value{}, 0, errNotRESP
	}
	text := string(b[1 : end-1])
	switch b[0] {
	case '+':
		text = strings.ToValidUTF8(text, "?")
	case '-':
		text = "error " + wire.Word(text)
	case '_':
		text = "nil"
	case '#':
		text = map[string]string{"t": "true", "f": "false"}[text]
	default:
		text = wire.Word(text)
	}
	return value{text: text}, end + 1, nil
}

// long reads a string with its length before it.
func long(b []byte) (value, int, error) {
	if bytes.HasPrefix(b, []byte("$-1\r\n")) {
		return value{text: "nil"}, 5, nil
	}
	text, n, err := bulk(b)
	if err != nil {
		return value{}, 0, err
	}
	if b[0] == '!' {
		return value{text: "error " + wire.Word(text)}, n, nil
	}
	return value{text: wire.Word(text), first: text}, n, nil
}

// aggregate reads an array, a set, a push or a map; each of its elements is so many values.
func aggregate(b []byte, each, depth int) (value, int, error) {
	count, n, err := header(b)
	switch {
	case err != nil:
		return value{}, 0, err
	case count == -1 && b[0] == '*':
		return value{text: "nil"}, n, nil
	case count < 0 || count > mostArgs:
		return value{}, 0, errNotRESP
	}
	v := value{push: b[0] == '>'}
	var text strings.Builder
	for i := range count * each {
		e, took, err := parseAt(b[n:], depth+1)
		if err != nil {
			return value{}, 0, err
		}
		n += took
		if i == 0 {
			v.first = e.first
		}
		if text.Len() <= longestReply {
			text.WriteString(" " + e.text)
		}
	}
	v.text = "[" + strings.TrimPrefix(text.String(), " ") + "]"
	return v, n, nil
}
