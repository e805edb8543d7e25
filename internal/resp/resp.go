package resp

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ErrShort is returned where more bytes are needed.
var ErrShort = errors.New("not whole yet")

// errNot is returned, with what stands there, for bytes that are no RESP.
var errNot = errors.New("not RESP")

// Bounds, so that what is no RESP is not waited for.
const (
	longestLine  = 64 << 10
	longestCount = 21 // digits, and a sign
	longestBulk  = 512 << 20
	mostElements = 1 << 20
	deepest      = 32 // values in each other
)

// A Value is one reply or push. Its texts lie in the bytes that it was read from.
type Value struct {
	Kind     byte    // its first byte
	Text     []byte  // of a line, or of a string with its length before it
	Nil      bool    // nothing, in any of its forms
	Elements []Value // of an aggregate; a map has each key before its value
}

// The first bytes of values.
const (
	lines      = "+-:_,#("
	strung     = "$=!"
	aggregates = "*>~%|"
)

// Reply returns how many bytes the reply or the push at the begin of b takes, and which it is.
func Reply(b []byte) (n int, push bool, err error) {
	n, err = read(b, 0, 0, nil)
	return n, len(b) > 0 && b[0] == '>', err
}

// Parse returns the reply or the push at the begin of b, and how many bytes it takes.
func Parse(b []byte) (v Value, n int, err error) {
	n, err = read(b, 0, 0, &v)
	return v, n, err
}

// read returns where the value at b[i] ends; into gets it unless it is nil.
func read(b []byte, i, depth int, into *Value) (next int, err error) {
	if i >= len(b) {
		return 0, ErrShort
	}
	kind := b[i]
	var v Value
	switch {
	case depth > deepest:
		return 0, fmt.Errorf("%w: more than %d values in each other", errNot, deepest)
	case strings.IndexByte(lines, kind) >= 0:
		v.Text, next, err = line(b, i+1, longestLine)
		v.Nil = kind == '_'
	case strings.IndexByte(strung, kind) >= 0:
		v.Text, next, err = bulk(b, i+1)
		v.Nil = v.Text == nil
	case strings.IndexByte(aggregates, kind) >= 0:
		return aggregate(b, i, depth, into)
	default:
		return 0, fmt.Errorf("%w: %q", errNot, kind)
	}
	if into != nil {
		*into = v
		into.Kind = kind
	}
	return next, err
}

// aggregate is read of an array, a push, a set, a map or its like.
func aggregate(b []byte, i, depth int, into *Value) (int, error) {
	kind := b[i]
	n, next, err := count(b, i+1, mostElements)
	if err != nil {
		return 0, err
	}
	if into != nil {
		*into = Value{Kind: kind, Nil: n < 0}
	}
	if kind == '%' || kind == '|' {
		n *= 2
	}
	for range n {
		var element *Value
		if into != nil {
			into.Elements = append(into.Elements, Value{})
			element = &into.Elements[len(into.Elements)-1]
		}
		if next, err = read(b, next, depth+1, element); err != nil {
			return 0, err
		}
	}
	return next, nil
}

// line returns the line that begins at b[i], without its end, and where the next one does.
func line(b []byte, i, longest int) (text []byte, next int, err error) {
	n := bytes.IndexByte(b[i:min(len(b), i+longest+2)], '\n')
	switch {
	case n < 0 && len(b) < i+longest+2:
		return nil, 0, ErrShort
	case n < 1 || b[i+n-1] != '\r':
		return nil, 0, fmt.Errorf("%w: a line without an end", errNot)
	}
	return b[i : i+n-1], i + n + 1, nil
}

// count reads a line that is a number, of -1 to most.
func count(b []byte, i, most int) (n, next int, err error) {
	text, next, err := line(b, i, longestCount)
	if err != nil {
		return 0, 0, err
	}
	if n, err = strconv.Atoi(string(text)); err != nil || n < -1 || n > most {
		return 0, 0, fmt.Errorf("%w: a count of %q", errNot, text)
	}
	return n, next, nil
}

// bulk reads a string with its length before it; nil if the length is -1.
func bulk(b []byte, i int) (text []byte, next int, err error) {
	n, i, err := count(b, i, longestBulk)
	switch {
	case err != nil || n < 0:
		return nil, i, err
	case len(b) < i+n+2:
		return nil, 0, ErrShort
	case b[i+n] != '\r' || b[i+n+1] != '\n':
		return nil, 0, fmt.Errorf("%w: a string that is longer than its length", errNot)
	}
	return b[i : i+n : i+n], i + n + 2, nil
}

// Command returns how many bytes the command at the begin of b takes, and its words, which lie
// in b. An empty line has none.
func Command(b []byte) (n int, words [][]byte, err error) {
	switch {
	case len(b) == 0:
		return 0, nil, ErrShort
	case b[0] != '*':
		return inline(b)
	}
	of, next, err := count(b, 1, mostElements)
	for range max(of, 0) {
		var word []byte
		switch {
		case next == len(b):
			return 0, nil, ErrShort
		case b[next] != '$':
			return 0, nil, fmt.Errorf("%w: a command with %q", errNot, b[next])
		}
		if word, next, err = bulk(b, next+1); err != nil {
			return 0, nil, err
		}
		if word == nil {
			return 0, nil, fmt.Errorf("%w: a command with nothing for a word", errNot)
		}
		words = append(words, word)
	}
	return next, words, err
}

// inline reads a command in plain words, as somebody types it.
func inline(b []byte) (n int, words [][]byte, err error) {
	if strings.IndexByte(" \t\r\n", b[0]) < 0 && !letter(rune(b[0])) {
		return 0, nil, fmt.Errorf("%w: a command that begins with %q", errNot, b[0])
	}
	end := bytes.IndexByte(b, '\n')
	switch {
	case end < 0 && len(b) <= longestLine:
		return 0, nil, ErrShort
	case end < 0:
		return 0, nil, fmt.Errorf("%w: a line without an end", errNot)
	}
	words = bytes.Fields(b[:end])
	if len(words) > 0 && !letters(words[0]) {
		return 0, nil, fmt.Errorf("%w: a command %.40q", errNot, words[0])
	}
	return end + 1, words, nil
}

func letters(word []byte) bool {
	return !bytes.ContainsFunc(word, func(r rune) bool { return !letter(r) })
}

func letter(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '.' || r == '_'
}

// Append adds a command to b.
func Append(b []byte, words ...string) []byte {
	b = fmt.Appendf(b, "*%d\r\n", len(words))
	for _, w := range words {
		b = fmt.Appendf(b, "$%d\r\n%s\r\n", len(w), w)
	}
	return b
}
