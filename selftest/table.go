// Package selftest tests torture itself: what is broken is to be found, and
// what is correct is not to be accused. A table lists what is run; each of its
// runs is torture run or torture explore in a process of its own, and a cell of the directory.
package selftest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"locktorture/internal/exit"
	"locktorture/internal/suggest"
	"locktorture/matrix"
	"locktorture/registry"
	"locktorture/report"
)

// Options say which runs of a table are made, and where they go.
type Options struct {
	Seeds    int           // runs of each row, with seeds that follow each other
	Seed     uint64        // the first of them
	Jobs     int           // runs at the same time
	Duration time.Duration // of each run; 0: what torture run does
	Args     []string      // of every torture run: where its servers come from
	Out      string        // directory of the runs and of cells.jsonl
	Resume   bool          // what Out has is taken over
	Only     []string      // rows that are run anew; all others must be in Out. None: whatever Out lacks is run
	Keep     bool          // the directories of all runs, not only of those that are not as expected
	Markdown string        // file into which the table is written, between its markers; "": none
	JSON     bool          // one object for each row instead of the table
	Quiet    bool          // no progress
	Commit   string        // of this build
}

// seeds returns the seeds with which each row is played.
func (o Options) seeds() []uint64 {
	var all []uint64
	for i := range o.Seeds {
		all = append(all, o.Seed+uint64(i))
	}
	return all
}

// A Table is one of the selftests.
type Table struct {
	title    string
	rows     []row
	runs     func(Options) []trial
	markdown func(Options) string
	alone    bool // one run after another, each with as many workers as there are jobs
}

// A row collects what its runs came to.
type row interface {
	name() string                      // as its trials have it
	add(cell) (keep bool, line string) // counts a run; whether its directory stays, and what is shown of it
	code() int                         // exit code
}

// row returns the row of a trial.
func (t Table) row(of trial) row {
	return t.rows[slices.IndexFunc(t.rows, func(r row) bool { return r.name() == of.Row })]
}

// code is the worst of the rows.
func (t Table) code() int {
	code := exit.OK
	for _, r := range t.rows {
		code = exit.Worse(code, r.code())
	}
	return code
}

// rowsOf are the rows of a table as no type of their own.
func rowsOf[R row](all []R) (rows []row) {
	for _, r := range all {
		rows = append(rows, r)
	}
	return rows
}

// Names returns the names of a table's rows, for Options.Only.
func (t Table) Names() (names []string) {
	for _, r := range t.rows {
		names = append(names, r.name())
	}
	return names
}

// runArgs are the arguments of torture run for a trial with some flags.
func (o Options) runArgs(flags ...string) []string {
	args := append([]string{"run", "--wire", "off"}, o.Args...)
	if o.Duration > 0 {
		args = append(args, "--duration", o.Duration.String())
	}
	return append(args, flags...)
}

// Run makes the runs of a table and shows it. The table as far as it is known is shown even
// after an interrupt. Its errors have exit codes; one without a text says how the table ended.
func Run(ctx context.Context, t Table, o Options, out, progress io.Writer) error {
	s := section{t.title}
	if err := s.check(o.Markdown); err != nil {
		return err
	}
	if matrix.Exists(o.Out) && !o.Resume {
		return exit.Usage("%s already has a selftest or a matrix: continue with --resume, or name another directory with --out", o.Out)
	}
	earlier, cells, err := matrix.OpenCells[cell](o.Out)
	if err != nil {
		return err
	}
	r := &runner{Options: o, table: t, cells: cells, progress: progress}
	left, missing := r.adopt(earlier)
	if len(missing) > 0 {
		return errors.Join(exit.Usage("--only and --markdown: the table in %s would lose rows that %s does not have: %s", o.Markdown, o.Out, suggest.Short(strings.Join(missing, ", "), 200)), cells.Close())
	}
	err = errors.Join(r.play(ctx, left), cells.Close())
	if err = errors.Join(err, show(t, r.Options, out)); err != nil {
		return exit.Broken(err)
	}
	if ctx.Err() != nil {
		return exit.Silent(exit.Interrupted)
	}
	if err := s.write(o.Markdown, t.markdown(r.Options)); err != nil {
		return err
	}
	return exit.Silent(t.code())
}

// show prints the rows.
func show(t Table, o Options, out io.Writer) error {
	if !o.JSON {
		_, err := fmt.Fprint(out, t.markdown(o))
		return err
	}
	for _, r := range t.rows {
		if err := report.Encode(out, r); err != nil {
			return err
		}
	}
	return nil
}

// rowCode is the exit code of a row of which runs failed, or that is not as it must be.
func rowCode(failed, wrong bool) int {
	switch {
	case failed:
		return exit.Harness
	case wrong:
		return exit.Violated
	}
	return exit.OK
}

// chosen returns the rows that only names; an empty only selects all. An unknown name is an error.
func chosen[R any](only []string, what string, all []R, name func(R) string) ([]R, error) {
	known := map[string]bool{}
	for _, r := range all {
		known[name(r)] = true
	}
	for _, n := range only {
		if !known[n] {
			return nil, registry.Unknown(what, n, known)
		}
	}
	return slices.DeleteFunc(all, func(r R) bool { return len(only) > 0 && !slices.Contains(only, name(r)) }), nil
}
