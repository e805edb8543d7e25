package jepsen

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// value reads the next value.
func (r *ednReader) value() (value, error) {
	if r.depth++; r.depth > maxDepth {
		return value{}, errors.New("nested too deeply")
	}
	defer func() { r.depth-- }()
	c, ok := r.space()
	if !ok {
		return value{}, r.ended()
	}
	switch c {
	case '"':
		return r.quoted()
	case '[', '(':
		return r.items(list, c)
	case '{':
		return r.dict()
	case '#':
		return r.dispatch()
	case '^': // metadata, then what it is about
		r.skip()
		if _, err := r.value(); err != nil {
			return value{}, err
		}
		return r.value()
	case ')', ']', '}':
		return value{}, fmt.Errorf("there is one %c too many", c)
	case '\\':
		return r.char()
	}
	w, err := r.word()
	if _, ok := r.peek(); err == nil && !ok {
		err = r.ended()
	}
	return atom(w), err
}

// atom returns what a bare word means.
func atom(w string) value {
	switch {
	case w == "nil":
		return value{}
	case w == "true" || w == "false":
		return value{kind: boolean, text: w}
	case numeric(w):
		return value{kind: number, text: w}
	}
	return value{kind: word, text: w}
}

// numeric reports whether a word begins as a number does.
func numeric(w string) bool {
	w = strings.TrimLeft(w, "+-")
	return w != "" && w[0] >= '0' && w[0] <= '9'
}

// items reads a vector, a list or a set.
func (r *ednReader) items(k kind, open byte) (value, error) {
	v := value{kind: k}
	for r.skip(); ; {
		c, ok := r.space()
		if !ok {
			return v, r.ended()
		}
		if c == closing(open) {
			r.skip()
			return v, nil
		}
		if c == '#' { // perhaps a value that is left out, before the end
			gone, err := r.omitted()
			if err != nil {
				return v, err
			}
			if gone {
				continue
			}
		}
		item, err := r.value()
		if err != nil {
			return v, err
		}
		v.items = append(v.items, item)
	}
}

// omitted reads #_ and the value that it leaves out.
func (r *ednReader) omitted() (bool, error) {
	if b, err := r.r.Peek(2); err != nil || b[1] != '_' {
		if err != nil && !errors.Is(err, io.EOF) {
			return false, err
		}
		return false, nil
	}
	r.skip()
	r.skip()
	_, err := r.value()
	return true, err
}

// dict reads a map, whose keys must differ.
func (r *ednReader) dict() (value, error) {
	v, err := r.items(dict, '{')
	if err != nil {
		return v, err
	}
	if len(v.items)%2 != 0 {
		return v, errors.New("a map has a key without a value")
	}
	r.swallowed = r.swallowed || r.depth > 1 && v.isEntry()
	return v, v.distinct()
}

// distinct reports the first key that a map has twice.
func (v value) distinct() error {
	seen := make(map[string]bool, len(v.items)/2)
	for i := 0; i < len(v.items); i += 2 {
		k := v.items[i]
		name := string(rune(k.kind)) + k.written()
		if seen[name] {
			return fmt.Errorf("the key %s occurs twice in a map", quote(k))
		}
		seen[name] = true
	}
	return nil
}

// dispatch reads what begins with #.
func (r *ednReader) dispatch() (value, error) {
	r.skip()
	c, ok := r.peek()
	if !ok {
		return value{}, r.ended()
	}
	switch c {
	case '{':
		return r.items(set, '{')
	case '_':
		r.skip()
		if _, err := r.value(); err != nil {
			return value{}, err
		}
		return r.value()
	case '#': // ##Inf, ##NaN
		r.skip()
		w, err := r.word()
		return value{kind: word, text: "##" + w}, err
	}
	tag, err := r.word()
	if err != nil {
		return value{}, err
	}
	v, err := r.value()
	if strings.HasPrefix(tag, "jepsen.") { // a record or a pair of a key and a value
		return v, err
	}
	return value{kind: tagged, text: tag, items: []value{v}}, err
}

// escapes are what may follow a backslash, in EDN and JSON.
var escapes = map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 'f': '\f', '\\': '\\', '"': '"', '/': '/'}
