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
func Read(dir string, now time.Time) ([]Line, error) { return readAll[Line](dir, now) }

// A record is a line of a file of a ledger.
type record interface {
	Check(now time.Time) error
	file() string // the name of the file that has it
}

// readAll reads the files of a directory.
func readAll[R record](dir string, now time.Time) ([]R, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []R
	for _, e := range entries { // sorted by name
		if e.Name() == lockFile || e.Name() == releases {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if !month.MatchString(e.Name()) {
			return nil, fmt.Errorf("%s: a ledger has only files with names such as 2026-11.jsonl", path)
		}
		text, err := plainfile.ReadIn(dir, e.Name(), mostBytes)
		if err != nil {
			return nil, err
		}
		lines, err := parse[R](path, text, now)
		if err != nil {
			return nil, err
		}
		all = append(all, lines...)
	}
	return all, nil
}

// file returns the name of the file that has a line.
func (l Line) file() string { return fileOf(l.Date) }

// fileOf returns the name of the file for a date that was checked.
func fileOf(date string) string { return date[:len("2006-01")] + ".jsonl" }

// Parse reads the lines of a file. Its error begins with the file's name and the number of the
// line.
func Parse(name string, text []byte, now time.Time) ([]Line, error) {
	return parse[Line](name, text, now)
}

func parse[R record](name string, text []byte, now time.Time) (lines []R, err error) {
	for n := 1; len(text) > 0; n++ {
		line, rest, whole := bytes.Cut(text, []byte("\n"))
		if !whole {
			return nil, fmt.Errorf("%s:%d: the line is cut off", name, n)
		}
		r, err := parseLine[R](line, now)
		if base := filepath.Base(name); err == nil && month.MatchString(base) && r.file() != base {
			err = fmt.Errorf("it belongs in %s", r.file())
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		lines, text = append(lines, r), rest
	}
	return lines, nil
}

// parseLine reads one line strictly: no unknown field, none twice, no other form than that in
// which it was written.
func parseLine[R record](text []byte, now time.Time) (r R, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return r, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return r, errors.New("more than one object")
	}
	if err := r.Check(now); err != nil {
		return r, err
	}
	if as := encode(r); !bytes.Equal(as, text) {
		return r, fmt.Errorf("it is not as the commands write it: %s", as)
	}
	return r, nil
}

// encode returns a line as it is written, without its end.
func encode(r record) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(r) // neither a channel nor a function is in it, and no number that JSON lacks (Check)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
