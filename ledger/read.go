package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"locktorture/internal/plainfile"
)

// The ledger of this repository, below its root.
const Dir = "results/ledger"

// month is the name of a file: the month in which its runs began.
var month = regexp.MustCompile(`^\d{4}-(0[1-9]|1[0-2])\.jsonl$`)

// mostBytes is how large one file may be.
const mostBytes = 16 << 20

// Read reads the ledger in a directory, in the order of its files. A ledger that is not there
// has no lines.
func Read(dir string, now time.Time) ([]Line, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []Line
	for _, e := range entries { // sorted by name
		if e.Name() == lockFile || e.Name() == releases {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if !month.MatchString(e.Name()) {
			return nil, fmt.Errorf("%s: a ledger has only files as 2026-11.jsonl", path)
		}
		text, err := plainfile.ReadIn(dir, e.Name(), mostBytes)
		if err != nil {
			return nil, err
		}
		lines, err := Parse(path, text, now)
		if err != nil {
			return nil, err
		}
		for i, l := range lines {
			if file := fileOf(l); file != e.Name() {
				return nil, fmt.Errorf("%s:%d: a run of %s belongs into %s", path, i+1, l.Date, file)
			}
		}
		all = append(all, lines...)
	}
	return all, nil
}

// fileOf returns the name of the file that has a line.
func fileOf(l Line) string { return l.time().Format("2006-01") + ".jsonl" }

// Parse reads the lines of a file. Its error begins with the file's name and the number of the
// line.
func Parse(name string, text []byte, now time.Time) ([]Line, error) {
	var lines []Line
	for n := 1; len(text) > 0; n++ {
		line, rest, whole := bytes.Cut(text, []byte("\n"))
		if !whole {
			return nil, fmt.Errorf("%s:%d: the line is cut off", name, n)
		}
		l, err := parseLine(line, now)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		lines, text = append(lines, l), rest
	}
	return lines, nil
}

// parseLine reads one line strictly: no unknown field, none twice, no other form than that in
// which it was written.
func parseLine(text []byte, now time.Time) (l Line, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&l); err != nil {
		return l, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return l, errors.New("more than one object")
	}
	if err := l.Check(now); err != nil {
		return l, err
	}
	if as := l.encode(); !slices.Equal(as, text) {
		return l, fmt.Errorf("it is not as the commands write it: %s", as)
	}
	return l, nil
}

// encode returns the line as it is written, without its end.
func (l Line) encode() []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(l) // neither a channel nor a function is in it, and no number that JSON lacks (Check)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
