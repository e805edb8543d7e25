// Package selftest tests torture itself: what is broken is to be found, and
// what is correct is not to be accused. A table lists what is run; each of its
// runs is torture run in a process of its own.
package selftest

import (
	"context"
	"fmt"
	"io"
	"time"

	"locktorture/internal/exit"
	"locktorture/report"
)

// Options say which runs of a table are made, and where they go.
type Options struct {
	Seeds    int           // runs of each row, with seeds that follow each other
	Seed     uint64        // the first of them
	Jobs     int           // runs at the same time
	Duration time.Duration // of each run; 0: what torture run does
	Args     []string      // of every torture run: where its servers come from
	Out      string        // directory of the runs
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

// A Table is one of the selftests: Mutants, Hazards or Controls make it.
type Table interface {
	section() section
	runs(Options) []trial
	play(context.Context, runner) // makes all runs and counts what they came to
	rows() []any                  // for JSON
	markdown(Options) string
	code() int // exit code: the worst row
}

// Commands are the arguments of torture for each run of a table, in order.
func Commands(t Table, o Options) [][]string {
	var all [][]string
	for _, r := range t.runs(o) {
		all = append(all, o.command(r))
	}
	return all
}

// Run makes the runs of a table and shows it. The table as far as it is known is shown even
// after an interrupt. Its errors have exit codes; one without a text says how the table ended.
func Run(ctx context.Context, t Table, o Options, out, progress io.Writer) error {
	if err := t.section().check(o.Markdown); err != nil {
		return err
	}
	t.play(ctx, runner{o, progress})
	if err := show(t, o, out); err != nil {
		return exit.Broken(err)
	}
	if ctx.Err() != nil {
		return exit.Silent(exit.Interrupted)
	}
	if err := t.section().write(o.Markdown, t.markdown(o)); err != nil {
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
	for _, r := range t.rows() {
		if err := report.Encode(out, r); err != nil {
			return err
		}
	}
	return nil
}

// anys are the rows of a table as values of no type.
func anys[R any](rows []R) []any {
	all := make([]any, len(rows))
	for i, r := range rows {
		all[i] = r
	}
	return all
}
