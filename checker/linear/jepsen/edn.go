package jepsen

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// maxDepth is how deep EDN may nest.
const maxDepth = 64

var errCutOff = errors.New("map is cut off")

// A reader reads one line of EDN.
type reader struct {
	b     string
	i     int
	depth int
}

// parseEDN reads one map, tagged (#jepsen.history.Op{…}) or not.
func parseEDN(text []byte, line int) (entry, error) {
	r := reader{b: strings.TrimPrefix(string(text), "[")}
	e := entry{line: line}
	r.space()
	if r.peek() == '#' {
		r.i++
		r.word()
		r.space()
	}
	if r.peek() != '{' {
		return e, errors.New("no map")
	}
	r.i++
	for {
		r.space()
		if r.peek() == '}' {
			r.i++
			break
		}
		key, err := r.value()
		if err != nil {
			return e, err
		}
		val, err := r.value()
		if err != nil {
			return e, err
		}
		if err := e.set(key.text, val); err != nil {
			return e, err
		}
	}
	if r.space(); r.i < len(r.b) && strings.Trim(r.b[r.i:], "] ") != "" {
		return e, errors.New("more than one map")
	}
	return e, e.check()
}

// set takes one key of an entry.
func (e *entry) set(key string, v value) (err error) {
	switch key {
	case ":type":
		e.kind = strings.TrimPrefix(v.text, ":")
	case ":f":
		e.f = strings.TrimPrefix(v.text, ":")
	case ":process":
		if strings.HasPrefix(v.text, ":") {
			return nil // :nemesis
		}
		e.client = true
		if e.process, err = strconv.Atoi(v.text); err != nil || e.process < 0 {
			return fmt.Errorf("process %q is no number", v.text)
		}
	case ":time":
		if e.time, err = strconv.ParseInt(strings.TrimSuffix(v.text, "N"), 10, 64); err != nil || e.time < 0 {
			return fmt.Errorf("time %q is no number of nanoseconds", v.text)
		}
		e.timed = true
	case ":value":
		e.value = v
	case ":error":
		e.failed = v.kind != none
	}
	return nil
}

func (r *reader) peek() byte {
	if r.i < len(r.b) {
		return r.b[r.i]
	}
	return 0
}

// space skips what EDN calls white space, commas and comments included.
func (r *reader) space() {
	for r.i < len(r.b) {
		switch c := r.b[r.i]; {
		case c == ' ' || c == ',' || c == '\t' || c == '\r' || c == '\n':
			r.i++
		case c == ';':
			r.i = len(r.b)
		default:
			return
		}
	}
}

// word reads up to the next delimiter.
func (r *reader) word() string {
	start := r.i
	for r.i < len(r.b) && !strings.ContainsRune(" ,\t\r\n\"()[]{};", rune(r.b[r.i])) {
		r.i++
	}
	return r.b[start:r.i]
}

// value reads the next value.
func (r *reader) value() (value, error) {
	if r.depth++; r.depth > maxDepth {
		return value{}, errors.New("nested too deeply")
	}
	defer func() { r.depth-- }()
	r.space()
	switch c := r.peek(); c {
	case 0:
		return value{}, errCutOff
	case '"':
		return r.quoted()
	case '[', '(':
		return r.list(c)
	case '{':
		v, err := r.list(c)
		v.kind = other
		return v, err
	case '#':
		return r.dispatch()
	case ')', ']', '}':
		return value{}, fmt.Errorf("a %c too many", c)
	case '\\':
		r.i++
		if r.i < len(r.b) {
			r.i++ // a character may be a delimiter
		}
		r.word()
		return value{kind: other}, nil
	}
	w := r.word()
	if w == "nil" {
		return value{}, nil
	}
	return value{kind: atom, text: w}, nil
}

// dispatch reads what begins with #.
func (r *reader) dispatch() (value, error) {
	r.i++
	if r.peek() == '{' {
		v, err := r.list('{')
		v.kind = other
		return v, err
	}
	if r.peek() == '_' {
		r.i++
		if _, err := r.value(); err != nil {
			return value{}, err
		}
		return r.value()
	}
	r.word()
	return r.value()
}

// list reads a vector, a list, a set or a map, all alike.
func (r *reader) list(open byte) (value, error) {
	end := map[byte]byte{'[': ']', '(': ')', '{': '}'}[open]
	r.i++
	v := value{kind: list}
	for {
		if r.space(); r.peek() == end {
			r.i++
			return v, nil
		}
		item, err := r.value()
		if err != nil {
			return v, err
		}
		v.items = append(v.items, item)
	}
}

// quoted reads a string.
func (r *reader) quoted() (value, error) {
	var b strings.Builder
	for r.i++; r.i < len(r.b); r.i++ {
		switch c := r.b[r.i]; c {
		case '"':
			r.i++
			return value{kind: atom, text: b.String()}, nil
		case '\\':
			if r.i++; r.i == len(r.b) {
				return value{}, errCutOff
			}
			if at := strings.IndexByte("ntr\\\"", r.b[r.i]); at >= 0 {
				b.WriteByte("\n\t\r\\\""[at])
				continue
			}
			return value{}, fmt.Errorf("unknown escape \\%c", r.b[r.i])
		default:
			b.WriteByte(c)
		}
	}
	return value{}, errCutOff
}
