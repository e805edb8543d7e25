// Package jepsen reads histories that Jepsen and its like recorded: one EDN map
// a line, with the keys :type :process :f :value :time :index :error, or one
// JSON object a line with the same keys; compressed with gzip or not.
//
// The EDN reader is our own, a few types deep: the one EDN library for Go that
// is complete has had no change since 2020, decodes by reflection into any, and
// recurses as deep as its input says.
package jepsen

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"locktorture/checker/linear"
)

// maxLine is the longest line that is read, in bytes.
const maxLine = 1 << 20

// A History is what a file held.
type History struct {
	Operations []linear.Operation // in the order of their completions
	Lines      []int              // of the call of each operation, from 1
	Functions  map[string]int     // how often each was invoked
	Truncated  bool               // the last line was cut off, as a killed run leaves it
	Timed      bool               // stamps are times; else they are line numbers
}

// An entry is one line.
type entry struct {
	line    int
	kind    string // invoke, ok, fail, info
	f       string
	process int
	client  bool // not the nemesis
	value   value
	time    int64
	timed   bool
	failed  bool // it has an error
}

// A value is what :value held, as far as a checker can use it.
type value struct {
	kind  valueKind
	text  string // of an atom
	items []value
}

type valueKind uint8

const (
	none valueKind = iota // nil, or no value
	atom
	list
	other
)

// Read reads a whole history. Every error names the line. Only a last line
// without its end is forgiven; what was under way then has an unknown outcome.
func Read(src io.Reader) (*History, error) {
	r := bufio.NewReaderSize(src, maxLine+2)
	if head, _ := r.Peek(2); bytes.Equal(head, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, fmt.Errorf("jepsen history: %w", err)
		}
		r = bufio.NewReaderSize(z, maxLine+2)
	}
	b := newBuilder()
	for line := 1; ; line++ {
		done, err := readLine(r, b, line)
		if err != nil {
			return nil, fmt.Errorf("jepsen history: line %d: %w", line, err)
		}
		if done {
			return b.history()
		}
	}
}

// readLine reads one line into b. It reports the end of the file.
func readLine(r *bufio.Reader, b *builder, line int) (done bool, err error) {
	text, err := r.ReadSlice('\n')
	last := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
	switch {
	case errors.Is(err, bufio.ErrBufferFull) || len(text) > maxLine+1:
		return false, errors.New("longer than 1 MiB")
	case err != nil && !last:
		return false, err
	case !utf8.Valid(text) && !last:
		return false, errors.New("invalid UTF-8")
	}
	b.out.Truncated = b.out.Truncated || errors.Is(err, io.ErrUnexpectedEOF)
	text = bytes.Trim(text, " \t\r\n,")
	if len(text) == 0 || text[0] == ';' || string(text) == "[" || string(text) == "]" {
		return last, nil
	}
	e, err := parse(text, line)
	if err != nil && last {
		b.out.Truncated = true
		return true, nil
	}
	if err == nil {
		err = b.add(e)
	}
	return last, err
}

// parse reads one line in either form.
func parse(text []byte, line int) (entry, error) {
	if len(text) > 1 && text[0] == '{' && text[1] == '"' {
		return parseJSON(text, line)
	}
	return parseEDN(text, line)
}

// check says what every entry must have.
func (e *entry) check() error {
	switch e.kind {
	case "invoke", "ok", "fail", "info":
	case "":
		return errors.New("no type")
	default:
		return fmt.Errorf("unknown type %q", e.kind)
	}
	if e.f == "" && e.client {
		return errors.New("no f")
	}
	return nil
}
