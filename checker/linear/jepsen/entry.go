package jepsen

import (
	"errors"
	"fmt"
	"strings"
)

// An entry is one map of a file.
type entry struct {
	line    int
	kind    string // invoke, ok, fail, info
	f       string
	process value // scalar
	client  bool  // not the nemesis
	value   value
	failure string // what :error says; "" if there is none
	place   int64  // in the file, or :index
	indexed bool
	time    int64 // ns, -1: none
}

// parseEntry takes from a map what a history needs.
func parseEntry(v value, line int) (entry, error) {
	e := entry{line: line, time: -1}
	if v.kind != dict {
		return e, errors.New("an entry is a map")
	}
	if err := e.names(v); err != nil {
		return e, err
	}
	e.value, _ = v.get("value")
	if why, ok := v.get("error"); ok && why.kind != none {
		e.failure = why.written()
	}
	return e, e.stamps(v)
}

// names reads the type, the function and the process.
func (e *entry) names(v value) error {
	for _, n := range []struct {
		key string
		to  *string
	}{{"type", &e.kind}, {"f", &e.f}} {
		switch name, _ := v.get(n.key); name.kind {
		case none:
		case text, word:
			*n.to = strings.TrimPrefix(name.text, ":")
		default:
			return fmt.Errorf("%s %s is not a name", n.key, quote(name))
		}
	}
	switch e.kind {
	case "invoke", "ok", "fail", "info":
	case "":
		return errors.New("no type")
	default:
		return fmt.Errorf("unknown type %q", e.kind)
	}
	e.process, _ = v.get("process")
	switch {
	case e.process.kind == none:
		return errors.New("no process")
	case !e.process.scalar():
		return fmt.Errorf("process %s is neither a number nor a name", quote(e.process))
	}
	e.client = !nemesis(e.process)
	if e.client && e.f == "" {
		return errors.New("no f")
	}
	return nil
}

// nemesis reports whether a process is what injects the faults.
func nemesis(process value) bool {
	return (process.kind == word || process.kind == text) && strings.HasPrefix(strings.TrimPrefix(process.text, ":"), "nemesis")
}

// stamps reads the index and the time.
func (e *entry) stamps(v value) error {
	if index, _ := v.get("index"); index.kind != none {
		n, err := index.integer()
		if err != nil || n < 0 {
			return fmt.Errorf("index %s is not a place in a history", quote(index))
		}
		e.place, e.indexed = n, true
	}
	if time, _ := v.get("time"); time.kind != none {
		n, err := time.integer()
		if err != nil {
			return fmt.Errorf("time %s is not a number of nanoseconds", quote(time))
		}
		e.time = max(n, -1) // a time before the start says as much as none
	}
	return nil
}
