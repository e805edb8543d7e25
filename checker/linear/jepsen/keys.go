package jepsen

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
)

// Keys says whether a history may be one of several objects.
type Keys uint8

// The ways to find out whether values name objects. A value does in two
// forms: as a pair [key value], as Jepsen's independent tests write it, and as
// the name of a lock, a scalar that every call of a lock has as its value.
const (
	Auto  Keys = iota // both forms are recognized
	Split             // one of both is expected; an error if there is none
	Whole             // values are values
)

// ParseKeys reads a word of the command line.
func ParseKeys(s string) (Keys, error) {
	at := slices.Index([]string{"auto", "split", "whole"}, s)
	if at < 0 {
		return 0, fmt.Errorf("%q is not auto, split or whole", s)
	}
	return Keys(at), nil
}

// locking has the functions of locks, and acquiring has the functions that take one.
var (
	acquiring = map[string]bool{
		"acquire": true, "lock": true, "try": true, "try-acquire": true,
		"acquire-shared": true, "lock-shared": true, "try-shared": true,
	}
	locking = map[string]bool{
		"acquire": true, "lock": true, "try": true, "try-acquire": true,
		"release": true, "unlock": true, "renew": true, "refresh": true, "extend": true,
		"acquire-shared": true, "lock-shared": true, "try-shared": true,
		"release-shared": true, "unlock-shared": true, "renew-shared": true,
	}
)

// keyed finds the objects of calls and takes the keys out of their values.
// named says that they are locks with names.
func keyed(calls []call, how Keys) (keys []string, named bool, line int, err error) {
	keys = make([]string, len(calls))
	switch {
	case how == Whole || len(calls) == 0:
		return keys, false, 0, nil
	case areNames(calls):
		if how == Auto && !shared(calls) {
			return nil, false, calls[0].line, errors.New("each call of a lock has a value, but no two processes use the same value: " +
				"use --keys split if these values are the names of locks, and --keys whole if all calls are of one lock")
		}
		for i := range calls {
			keys[i] = calls[i].name()
		}
		return keys, true, 0, nil
	case how == Split && arePairs(calls, false), arePairs(calls, true):
		for i := range calls {
			if keys[i], err = calls[i].unpack(); err != nil {
				return nil, false, calls[i].line, err
			}
		}
		return keys, false, 0, nil
	case how == Split:
		return nil, false, calls[0].line, errors.New("there are no keys to split by: no pairs [key value], and no names of locks")
	}
	return keys, false, 0, nil
}

// areNames reports whether the values of all calls are names of locks: each is a scalar, and
// there are acquires. Scalars that are tokens would be missing in the acquires.
func areNames(calls []call) bool {
	acquires := false
	for i := range calls {
		c := &calls[i]
		if !locking[c.f] || !c.value.scalar() {
			return false
		}
		acquires = acquires || acquiring[c.f]
	}
	return acquires
}

// name takes the name of the lock out of the values of a call.
func (c *call) name() string {
	name := c.value.flat()
	if c.echoed() {
		done := *c.done
		done.value = value{}
		c.done = &done
	}
	c.value = value{}
	return name
}

// echoed reports whether a call is answered with its own value, which Jepsen
// does where the client has nothing to say.
func (c *call) echoed() bool {
	return c.done != nil && c.value.kind != none && c.done.value.kind == c.value.kind && c.done.value.written() == c.value.written()
}

// shared reports whether some lock is used by two processes.
func shared(calls []call) bool {
	by := map[string]int{}
	for i := range calls {
		name := calls[i].value.written()
		if p, ok := by[name]; ok && p != calls[i].process {
			return true
		}
		by[name] = calls[i].process
	}
	return false
}

// arePairs reports whether all values are pairs of a key and a value. If sure is true, one of
// them must also show that its second item is the value: a read that names nothing but a key,
// or a cas from one value to another of a key.
func arePairs(calls []call, sure bool) bool {
	shown := !sure
	for i := range calls {
		v := calls[i].value
		if v.kind != list || len(v.items) != 2 || v.items[0].kind == list {
			return false
		}
		inner := v.items[1]
		shown = shown || inner.kind == none || calls[i].f == "cas" && inner.kind == list && len(inner.items) == 2
	}
	return shown
}

// unpack takes the key out of the values of a call.
func (c *call) unpack() (string, error) {
	key := c.value.items[0]
	c.value = c.value.items[1]
	if c.done == nil {
		return key.written(), nil
	}
	done := *c.done
	switch v := done.value; {
	case v.kind == list && len(v.items) == 2 && v.items[0].written() == key.written():
		done.value = v.items[1]
	case done.kind == "ok" && v.kind != none:
		return "", fmt.Errorf("%s of key %s is answered in line %d with %s, which is not a value of that key", c.f, quote(key), done.line, quote(v))
	default:
		done.value = value{} // an outcome that says nothing about a value
	}
	c.done = &done
	return key.written(), nil
}

var numbered = regexp.MustCompile(`\bprocess -[0-9]+\b`)

// Named puts the names of processes into what a verdict says of their numbers.
func (h *History) Named(s string) string {
	return numbered.ReplaceAllStringFunc(s, func(s string) string {
		n, err := strconv.Atoi(s[len("process -"):])
		if err != nil || n < 1 || n > len(h.processes) {
			return s
		}
		return "process " + quote(h.processes[n-1])
	})
}
