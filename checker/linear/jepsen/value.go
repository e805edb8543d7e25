package jepsen

import (
	"errors"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// maxDepth is how deep a value may nest.
const maxDepth = 64

// A value is a value of EDN or JSON.
type value struct {
	kind  kind
	text  string  // of a scalar; of a keyword with its colon; of a tagged value the tag
	items []value // keys and values of a map, in turn
}

type kind uint8

const (
	none kind = iota // nil, null, or no value
	boolean
	number
	text // a string
	word // a symbol or a keyword
	char
	list // a vector, a list or an array
	dict
	set
	tagged
)

// scalar reports whether v can name something.
func (v value) scalar() bool { return v.kind >= boolean && v.kind <= char }

// get looks up a key of a map, written as :key or "key".
func (v value) get(key string) (value, bool) {
	if v.kind == dict {
		for i := 0; i+1 < len(v.items); i += 2 {
			if k := v.items[i]; (k.kind == word || k.kind == text) && strings.TrimPrefix(k.text, ":") == key {
				return v.items[i+1], true
			}
		}
	}
	return value{}, false
}

// isEntry reports whether a map looks like an entry of a history.
func (v value) isEntry() bool {
	_, typed := v.get("type")
	_, process := v.get("process")
	return typed && process
}

// flat writes a value as an operation holds it: a string as it is, nil as "",
// the items of a list with commas between them.
func (v value) flat() string {
	if v.kind == list {
		return v.joined(",", value.written)
	}
	if v.kind == none || v.kind == text {
		return v.text
	}
	return v.written()
}

// written writes a value so that only equal values are written alike. The exception is a
// string, which is written like the value that it looks like.
func (v value) written() string {
	switch v.kind {
	case none:
		return "nil"
	case number:
		return integral(v.text)
	case list:
		return "[" + v.joined(" ", value.written) + "]"
	case dict:
		return "{" + strings.Join(v.pairs(), ", ") + "}"
	case set:
		items := strings.Split(v.joined("\x00", value.written), "\x00")
		slices.Sort(items)
		return "#{" + strings.Join(items, " ") + "}"
	case tagged:
		return "#" + v.text + " " + v.joined(" ", value.written)
	}
	return v.text
}

func (v value) joined(sep string, write func(value) string) string {
	items := make([]string, len(v.items))
	for i := range v.items {
		items[i] = write(v.items[i])
	}
	return strings.Join(items, sep)
}

// pairs writes the entries of a map, sorted.
func (v value) pairs() []string {
	var out []string
	for i := 0; i+1 < len(v.items); i += 2 {
		out = append(out, v.items[i].written()+" "+v.items[i+1].written())
	}
	slices.Sort(out)
	return out
}

// integral writes an integer in one way: without a plus, and without the N
// that marks a big one in EDN. Other numbers stay as they are.
func integral(s string) string {
	if n, ok := new(big.Int).SetString(strings.TrimSuffix(s, "N"), 10); ok {
		return n.String()
	}
	return s
}

// integer returns v as an int64.
func (v value) integer() (int64, error) {
	if v.kind != number && v.kind != text {
		return 0, errors.New(quote(v) + " is not a number")
	}
	n, err := strconv.ParseInt(integral(v.text), 10, 64)
	if errors.Is(err, strconv.ErrRange) {
		return 0, errors.New(quote(v) + " is out of range")
	}
	if err != nil {
		return 0, errors.New(quote(v) + " is not an integer")
	}
	return n, nil
}

// quote writes a value for a message.
func quote(v value) string {
	s := v.written()
	if len(s) > 40 {
		s = strings.ToValidUTF8(s[:40], "") + "…"
	}
	if v.kind == text {
		return strconv.Quote(s)
	}
	return s
}
