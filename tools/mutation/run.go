package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

var (
	errWeak  = errors.New("too many mutants live")
	errStale = errors.New("the survivors belong to other code: make mutation ONLY=FILE.go MUTATED=PACKAGE tries the mutants of a file")
)

// run tries the mutants of each package, and tells what became of them.
func run(o options, dirs []string) error {
	reasons, err := equivalents(equivalentText)
	if err != nil {
		return err
	}
	known, err := readSurvivors(o.survivors)
	if err != nil {
		return err
	}
	out := io.WriteCloser(os.Stderr)
	if o.results != "" {
		if out, err = os.Create(o.results); err != nil {
			return err
		}
		defer out.Close()
	}
	var rows []row
	for _, dir := range dirs {
		t, err := try(o, dir, reasons, out)
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		known.update(dir, t.mutants, t.became)
		rows = append(rows, t.row)
	}
	return report(o, known, dirs, rows)
}

// report prints the tables, and writes the files that hold them.
func report(o options, known survivors, dirs []string, rows []row) error {
	tables := table(rows) + "\n" + classTable(known, dirs)
	fmt.Print(tables)
	if o.survivors != "" {
		if err := os.WriteFile(o.survivors, []byte(known.String()), 0o644); err != nil {
			return err
		}
	}
	if o.markdown != "" {
		if err := intoMarkdown(o.markdown, tables); err != nil {
			return err
		}
	}
	for _, r := range rows {
		if r.score() < o.least {
			return errWeak
		}
	}
	return nil
}

// inOrder rewrites the file of survivors, and fails where the code has moved on since.
func inOrder(file string, dirs []string) error {
	known, err := readSurvivors(file)
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, []byte(known.String()), 0o644); err != nil {
		return err
	}
	fmt.Print(classTable(known, dirs))
	var complaints []string
	for _, dir := range dirs {
		s, err := load("./" + dir)
		if err != nil {
			return err
		}
		_, all := instrument(s, dir, 1)
		complaints = append(complaints, known.stale(dir, all)...)
	}
	if len(complaints) > 0 {
		return fmt.Errorf("%s\n%w", strings.Join(complaints, "\n"), errStale)
	}
	return nil
}
