package selftest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"locktorture/internal/exit"
)

// A virtualTally collects what searches in virtual time came to.
type virtualTally struct {
	title   string
	trials  int // of a search, at most
	all     []*virtualRow
	without []string // what cannot be played, each with the reason
	draw    func(Options) []trial
}

// A virtualRow is a lock under such searches. Without anomalies it is correct, and must not be
// accused.
type virtualRow struct {
	Backend   string   `json:"backend"`
	Flags     []string `json:"flags,omitempty"`
	Anomalies []string `json:"anomalies,omitempty"` // one of these must be found
	Luck      bool     `json:"luck,omitempty"`      // not in each search
	Of        int      `json:"of"`                  // searches
	Found     int      `json:"found"`               // searches that found something
	Trials    int      `json:"trials"`              // of all searches
	Needed    []int    `json:"needed,omitempty"`    // trials of each search that found something
	CPU       float64  `json:"cpu"`                 // s, of all processes of all searches
	Accused   []string `json:"accused,omitempty"`   // a correct lock, in which run
	Failed    []string `json:"failed,omitempty"`    // searches without an outcome
}

// add adds a row, unless there is one like it.
func (t *virtualTally) add(r virtualRow) {
	if !slices.ContainsFunc(t.all, func(other *virtualRow) bool { return other.key() == r.key() }) {
		t.all = append(t.all, &r)
	}
}

func (t *virtualTally) section() section       { return section{t.title} }
func (t *virtualTally) rows() []any            { return anys(t.all) }
func (t *virtualTally) runs(o Options) []trial { return t.draw(o) }

// play makes the searches one after the other; each plays as many trials at once as there are
// jobs.
func (t *virtualTally) play(ctx context.Context, r runner) {
	all := t.draw(r.Options)
	for i, one := range all {
		row := t.all[slices.IndexFunc(t.all, func(v *virtualRow) bool { return v.key() == one.Name })]
		line := row.try(ctx, one, r.Options)
		if ctx.Err() != nil {
			return
		}
		if !r.Quiet {
			fmt.Fprintf(r.progress, "%d/%d %s, seed %d: %s\n", i+1, len(all), row.Backend, one.Seed, line)
		}
	}
}

// try makes one search, and says what it came to.
func (r *virtualRow) try(ctx context.Context, t trial, o Options) string {
	args := append(searched(t), "--jobs", strconv.Itoa(o.Jobs), "--dir", filepath.Join(o.Out, "runs"))
	said, took, err := look(ctx, args)
	if ctx.Err() != nil {
		return ""
	}
	r.Of++
	r.CPU += took.Seconds()
	if err != nil {
		r.Failed = append(r.Failed, fmt.Sprintf("%v: torture %s", err, strings.Join(args, " ")))
		return r.Failed[len(r.Failed)-1]
	}
	r.Trials += said.Trials
	if said.Found != nil {
		r.Trials += max(0, said.Found.Trial-said.Trials) // those that came before it
	}
	if said.Found == nil {
		return fmt.Sprintf("nothing in %d trials", said.Trials)
	}
	r.Found++
	r.Needed = append(r.Needed, said.Found.Trial)
	if len(r.Anomalies) == 0 {
		r.Accused = append(r.Accused, fmt.Sprintf("torture %s: %s", strings.Join(args, " "), said.Found.Dir))
		return "ACCUSED: " + said.Found.Dir
	}
	if !o.Keep {
		_ = os.RemoveAll(said.Found.Dir)
	}
	return fmt.Sprintf("found in trial %d", said.Found.Trial)
}

// code is the worst of the table: a mutant that was not found where it must be, or a correct
// lock that was accused.
func (t *virtualTally) code() int {
	code := exit.OK
	for _, r := range t.all {
		missed := len(r.Anomalies) > 0 && (r.Found == 0 || r.Found < r.Of && !r.Luck)
		switch {
		case len(r.Failed) > 0:
			code = exit.Worse(code, exit.Harness)
		case len(r.Accused) > 0, missed && r.Of > 0:
			code = exit.Worse(code, exit.Violated)
		}
	}
	return code
}

// markdown is the table, with what was accused and what cannot be played.
func (t *virtualTally) markdown(o Options) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\nCommit %s, seeds from %d on, at most %d trials a search.\n\n", o.Commit, o.Seed, t.trials)
	b.WriteString("| lock, and flags | must be found | found in | trials: all; median and most until it was found | CPU s |\n|---|---|---|---|---|\n")
	for _, r := range t.all {
		must, trials := "nothing", fmt.Sprint(r.Trials)
		if len(r.Anomalies) > 0 {
			must = "`" + strings.Join(r.Anomalies, "` or `") + "`"
		}
		if len(r.Needed) > 0 {
			trials += "; " + middle("%d", r.Needed)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %d of %d | %s | %.1f |\n", strings.Join(append([]string{r.Backend}, named(r.Flags)...), " "), must, r.Found, r.Of, trials, r.CPU)
	}
	b.WriteString("\n")
	for _, r := range t.all {
		for _, a := range r.Accused {
			fmt.Fprintf(&b, "- accused: `%s`\n", a)
		}
		for _, f := range r.Failed {
			fmt.Fprintf(&b, "- no outcome: %s\n", f)
		}
	}
	for _, w := range t.without {
		fmt.Fprintf(&b, "- not played: %s\n", w)
	}
	return b.String() + "\n"
}

// named are the flags without the kinds of faults that all rows have.
func named(flags []string) []string {
	if i := slices.Index(flags, soundKinds); i > 0 {
		return slices.Delete(slices.Clone(flags), i-1, i+1)
	}
	return flags
}
