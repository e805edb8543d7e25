package jepsen

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
)

// char reads a character, which may be a delimiter.
func (r *ednReader) char() (value, error) {
	r.skip()
	c, ok := r.peek()
	if !ok {
		return value{}, r.ended()
	}
	r.skip()
	w, err := r.word()
	return value{kind: char, text: `\` + string([]byte{c}) + w}, err
}

// quoted reads a string.
func (r *ednReader) quoted() (value, error) {
	var b strings.Builder
	for r.skip(); ; {
		c, ok := r.peek()
		if !ok {
			return value{}, r.ended()
		}
		r.skip()
		if c == '"' {
			return value{kind: text, text: b.String()}, nil
		}
		if c != '\\' {
			r.swallowed = r.swallowed || c == '{' && endsLine(b.String())
			b.WriteByte(c)
			continue
		}
		if c, ok = r.peek(); !ok {
			return value{}, r.ended()
		}
		r.skip()
		if c == 'u' {
			u, err := r.unicode()
			if err != nil {
				return value{}, err
			}
			b.WriteRune(u)
		} else if plain, ok := escapes[c]; ok {
			b.WriteByte(plain)
		} else {
			return value{}, fmt.Errorf("unknown escape \\%c", c)
		}
	}
}

func endsLine(s string) bool { return strings.HasSuffix(s, "\n") || strings.HasSuffix(s, "\r") }

// unicode reads the four digits after \u, and those of the other half of a
// pair.
func (r *ednReader) unicode() (rune, error) {
	first, err := r.hex()
	if err != nil || !utf16.IsSurrogate(first) {
		return first, err
	}
	if b, err := r.r.Peek(2); err != nil || string(b) != `\u` {
		return first, errors.New("half a character")
	}
	r.skip()
	r.skip()
	second, err := r.hex()
	if err != nil {
		return 0, err
	}
	if both := utf16.DecodeRune(first, second); both != '\uFFFD' {
		return both, nil
	}
	return 0, errors.New("half a character")
}

func (r *ednReader) hex() (rune, error) {
	var digits [4]byte
	for i := range digits {
		c, ok := r.peek()
		if !ok {
			return 0, r.ended()
		}
		digits[i] = c
		r.skip()
	}
	n, err := strconv.ParseUint(string(digits[:]), 16, 32)
	if err != nil {
		return 0, fmt.Errorf("%q is not four hexadecimal digits", digits[:])
	}
	return rune(n), nil
}
