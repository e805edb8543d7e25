package jepsen

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"locktorture/checker/linear"
)

// Options say how to understand what the format leaves open.
type Options struct {
	// FailedCAS makes a failed cas that names no error a claim: the value was
	// another. Without it, a failed cas says only that nothing was done.
	FailedCAS bool
	Keys      Keys
}

// A History holds what a file held.
type History struct {
	Objects   []Object // sorted by their keys; none, if no client did anything
	Truncated bool     // the file ends in the middle of an entry
	Entries   int      // in the file, those of the nemesis included
	Silent    int      // failed operations that say only that nothing was done, and are left out

	processes []value // processes whose name is not a small number; the first has the number -1
}

// An Object is what the operations of a history work on: all of them, or those
// of one key.
type Object struct {
	Key        string             // "" if the history is of one object
	Operations []linear.Operation // in the order of their completions; stamps are places of entries
	Times      []Span             // of each operation
	NoNumber   []int              // successful reads that found no integer, so they are no reads of a sum
}

// A Span is when an operation was called and when it returned, in ns by the
// clock of the recorder; -1 where that is not known.
type Span struct{ Call, Return int64 }

// Read reads a whole history. Every error names the line.
func Read(file io.Reader, o Options) (*History, error) {
	src, err := openSource(file)
	if err != nil {
		return nil, fmt.Errorf("jepsen history: %w", err)
	}
	h := &History{}
	entries, line, err := h.entries(src)
	if err == nil {
		line, err = order(entries)
	}
	if err == nil {
		line, err = h.build(entries, o)
	}
	if err != nil {
		return nil, fmt.Errorf("jepsen history: line %d: %w", line, err)
	}
	return h, nil
}

// A notation reads the maps of a file.
type notation interface {
	next() (value, error) // io.EOF: no more; errCutOff: in the middle of one
	line() int            // on which it is
}

// entries reads what the file holds. line is where an error is.
func (h *History) entries(src *source) (all []entry, line int, err error) {
	r := bufio.NewReaderSize(src, chunk)
	var from notation
	edn := newEDN(src, r)
	js := newJSON(src, r)
	if from = edn; isJSON(r) {
		from = js
	}
	for {
		v, err := from.next()
		whole := len(all) > 0
		switch {
		case errors.Is(err, io.EOF) && src.cut && !whole, errors.Is(err, errCutOff) && !whole:
			return nil, from.line(), errCutOff
		case errors.Is(err, io.EOF), errors.Is(err, errCutOff):
			h.Truncated = src.cut || errors.Is(err, errCutOff)
			h.Entries = len(all)
			return all, 0, nil
		case err != nil:
			return nil, from.line(), err
		}
		e, err := parseEntry(v, edn.start+js.start)
		if err != nil {
			return nil, e.line, err
		}
		all = append(all, e)
	}
}

// isJSON reports whether a file holds JSON objects: whether its first map
// begins with a string.
func isJSON(r *bufio.Reader) bool {
	head, _ := r.Peek(chunk)
	open := false
	for _, c := range head {
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		case open || c != '[' && c != '{':
			return open && c == '"'
		case c == '{':
			open = true
		}
	}
	return false
}

// order puts entries in the order of their indices if all have one. Otherwise they stay in the
// order of the file and are numbered.
func order(all []entry) (line int, err error) {
	indexed := 0
	for i := range all {
		if all[i].indexed {
			indexed++
		}
	}
	if indexed == len(all) {
		slices.SortStableFunc(all, func(a, b entry) int { return cmp.Compare(a.place, b.place) })
		for i := 1; i < len(all); i++ {
			if all[i].place == all[i-1].place {
				return all[i].line, fmt.Errorf("index %d occurs again, after line %d", all[i].place, all[i-1].line)
			}
		}
		return 0, nil
	}
	last := int64(-1)
	for i := range all {
		e := &all[i]
		if e.indexed && e.place <= last {
			return e.line, errors.New("some entries have no index, and the entries with an index are not in the order of their indices")
		} else if e.indexed {
			last = e.place
		}
		e.place = int64(i) + 1
	}
	return 0, nil
}
