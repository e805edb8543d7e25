package jepsen

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// errCutOff says that a file ended in the middle of an entry.
var errCutOff = errors.New("the file ends in the middle of an entry")

// unclosed says that a file ended in the middle of an entry that holds others.
// That is not how a killed recorder leaves it, and the others would be lost.
func unclosed(line int) error {
	return fmt.Errorf("the entry of line %d has no end", line)
}

// An ednReader reads values of EDN. Its errors are errCutOff at the end of the file, and the
// errors of the source.
type ednReader struct {
	src    *source
	r      *bufio.Reader
	offset int64
	depth  int
	inside byte // what ends the container at the top, 0 outside of one
	start  int  // line on which the entry begins that next returned
	stop   error

	swallowed bool // the entry that is read holds another, so it may lack its end
}

func newEDN(src *source, r *bufio.Reader) *ednReader { return &ednReader{src: src, r: r} }

func (r *ednReader) line() int { return r.src.at(r.offset) }

// peek returns the next byte; false at the end of the file, or where the
// source has an error, which it keeps.
func (r *ednReader) peek() (byte, bool) {
	b, err := r.r.Peek(1)
	if err != nil {
		r.stop = err
		return 0, false
	}
	return b[0], true
}

// ended returns why peek had nothing.
func (r *ednReader) ended() error {
	switch {
	case !errors.Is(r.stop, io.EOF):
		return r.stop
	case r.swallowed:
		return unclosed(r.start)
	}
	return errCutOff
}

func (r *ednReader) skip() {
	_, _ = r.r.Discard(1)
	r.offset++
}

// space skips what EDN calls white space, commas and comments included, and
// returns the byte after it.
func (r *ednReader) space() (byte, bool) {
	comment := false
	for {
		c, ok := r.peek()
		switch {
		case !ok:
			return 0, false
		case c == '\n' || c == '\r':
			comment = false
		case comment || c == ' ' || c == ',' || c == '\t' || c == '\f':
		case c == ';':
			comment = true
		default:
			return c, true
		}
		r.skip()
	}
}

// next reads the next entry at the top of a file, which may stand in a
// container, a vector or a list. It returns io.EOF at the end.
func (r *ednReader) next() (v value, err error) {
	for {
		c, ok := r.space()
		switch {
		case !ok && errors.Is(r.stop, io.EOF) && r.inside == 0:
			return v, io.EOF
		case !ok:
			return v, r.ended()
		case c == '[' || c == '(':
			if r.inside != 0 {
				return v, errors.New("an entry is a map, not a list")
			}
			r.skip()
			r.inside = closing(c)
			continue
		case r.inside != 0 && c == r.inside:
			r.skip()
			r.inside = 0
			continue
		case c != '{' && c != '#' && c != '^':
			return v, fmt.Errorf("an entry begins with {, not with %q", c)
		}
		r.src.begin()
		r.start, r.swallowed = r.line(), false
		if c == '#' {
			done, err := r.marked()
			if err != nil || done.kind != none {
				return done, err
			}
			continue
		}
		return r.value()
	}
}

// marked reads what begins with # at the top: a tagged map, a tag of the
// container, which has no value yet, or a value that is left out.
func (r *ednReader) marked() (value, error) {
	r.skip()
	c, ok := r.peek()
	if !ok {
		return value{}, r.ended()
	}
	if c == '_' {
		r.skip()
		_, err := r.value()
		return value{}, err
	}
	if c == '{' {
		return value{}, errors.New("an entry is a map, not a set")
	}
	tag, err := r.word()
	if err != nil {
		return value{}, err
	}
	switch c, ok = r.space(); {
	case !ok:
		return value{}, r.ended()
	case c == '{':
		return r.value()
	case (c == '[' || c == '(') && r.inside == 0:
		return value{}, nil
	}
	return value{}, fmt.Errorf("an entry is a map, not a #%s of %q", tag, c)
}

func closing(open byte) byte {
	return map[byte]byte{'[': ']', '(': ')', '{': '}'}[open]
}

// word reads up to the next delimiter.
func (r *ednReader) word() (string, error) {
	var b strings.Builder
	for {
		c, ok := r.peek()
		if !ok && !errors.Is(r.stop, io.EOF) {
			return "", r.stop
		}
		if !ok || strings.IndexByte(" ,\t\f\r\n\"()[]{};", c) >= 0 {
			return b.String(), nil
		}
		if c < ' ' || c == 0x7f {
			return "", fmt.Errorf("a word contains the byte %#02x", c)
		}
		b.WriteByte(c)
		r.skip()
	}
}
