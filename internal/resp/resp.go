package resp

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
)

// ErrShort says that a value or a command has not arrived whole.
var ErrShort = errors.New("not whole yet")

// line returns the line that begins at i, without its end, and where the next begins.
func line(b []byte, i int) (text []byte, next int, err error) {
	n := bytes.IndexByte(b[i:], '\n')
	if n < 0 {
		return nil, 0, ErrShort
	}
	return bytes.TrimSuffix(b[i:i+n], []byte("\r")), i + n + 1, nil
}

// Value returns the length of the value at the start of b, and whether it is a push.
func Value(b []byte) (n int, push bool, err error) {
	n, err = value(b, 0)
	return n, len(b) > 0 && b[0] == '>', err
}

// value returns where the value at i ends.
func value(b []byte, i int) (int, error) {
	if i >= len(b) {
		return 0, ErrShort
	}
	text, next, err := line(b, i)
	if err != nil {
		return 0, err
	}
	if len(text) == 0 {
		return 0, errors.New("RESP: a line without a type")
	}
	switch text[0] {
	case '+', '-', ':', '_', ',', '#', '(':
		return next, nil
	}
	n, err := strconv.Atoi(string(text[1:]))
	if err != nil {
		return 0, fmt.Errorf("RESP: %q", text)
	}
	switch text[0] {
	case '$', '=', '!':
		return blob(b, next, n)
	case '%', '|':
		n *= 2
	case '*', '>', '~':
	default:
		return 0, fmt.Errorf("RESP: %q", text)
	}
	for range n {
		if next, err = value(b, next); err != nil {
			return 0, err
		}
	}
	return next, nil
}

// blob returns where a text of n bytes ends that begins at i; n < 0 is nil, and has no bytes.
func blob(b []byte, i, n int) (int, error) {
	switch {
	case n < 0:
		return i, nil
	case i+n+2 > len(b):
		return 0, ErrShort
	}
	return i + n + 2, nil
}

// Command returns the length of the command at the start of b, and its words.
func Command(b []byte) (n int, words [][]byte, err error) {
	text, next, err := line(b, 0)
	if err != nil {
		return 0, nil, err
	}
	if len(text) == 0 || text[0] != '*' {
		return next, bytes.Fields(text), nil // an inline command
	}
	count, err := strconv.Atoi(string(text[1:]))
	if err != nil {
		return 0, nil, fmt.Errorf("RESP: %q", text)
	}
	for range count {
		text, start, err := line(b, next)
		if err != nil {
			return 0, nil, err
		}
		size, err := strconv.Atoi(string(bytes.TrimPrefix(text, []byte("$"))))
		if err != nil || size < 0 {
			return 0, nil, fmt.Errorf("RESP: %q", text)
		}
		if next, err = blob(b, start, size); err != nil {
			return 0, nil, err
		}
		words = append(words, b[start:start+size])
	}
	return next, words, nil
}

// Append appends a command to b.
func Append(b []byte, words ...string) []byte {
	b = fmt.Appendf(b, "*%d\r\n", len(words))
	for _, w := range words {
		b = fmt.Appendf(b, "$%d\r\n%s\r\n", len(w), w)
	}
	return b
}
