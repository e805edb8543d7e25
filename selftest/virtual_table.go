package selftest

import (
	"fmt"
	"slices"
	"strings"
)

// A virtualTally collects what searches in virtual time came to.
type virtualTally struct {
	trials  int // of a search, at most
	all     []*virtualRow
	without []string // what cannot be played, each with the reason
}

// table returns the table of these searches, which are made one after the other; each plays as many
// trials at once as there are jobs.
func (t *virtualTally) table(title string, runs func(Options) []trial) Table {
	return Table{title: title, rows: rowsOf(t.all), alone: true, runs: runs, markdown: t.markdown}
}

// A virtualRow is a lock under such searches. Without anomalies it is correct, and must not be
// flagged.
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
	if !slices.ContainsFunc(t.all, func(other *virtualRow) bool { return other.name() == r.name() }) {
		t.all = append(t.all, &r)
	}
}

// add counts a search, and says what it came to.
func (r *virtualRow) add(c cell) (keep bool, line string) {
	command := "torture " + strings.Join(c.command(), " ")
	r.Of++
	r.CPU += c.CPU.Seconds()
	if c.Failed != "" {
		r.Failed = append(r.Failed, c.Failed+": "+command)
		return true, r.Failed[len(r.Failed)-1]
	}
	found := c.Search.Found
	r.Trials += c.Search.Trials
	if found == nil {
		return false, fmt.Sprintf("nothing in %d trials", c.Search.Trials)
	}
	r.Trials += max(0, found.Trial-c.Search.Trials) // those that came before it
	r.Found++
	r.Needed = append(r.Needed, found.Trial)
	if len(r.Anomalies) == 0 {
		r.Accused = append(r.Accused, command+": "+found.Dir)
		return true, "FLAGGED: " + found.Dir
	}
	return false, fmt.Sprintf("found in trial %d", found.Trial)
}

// code says whether a mutant was found where it must be, or a correct lock not accused.
func (r *virtualRow) code() int {
	missed := r.Of > 0 && len(r.Anomalies) > 0 && (r.Found == 0 || r.Found < r.Of && !r.Luck)
	return rowCode(len(r.Failed) > 0, len(r.Accused) > 0 || missed)
}

// markdown is the table, with what was flagged and what cannot be played.
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
			fmt.Fprintf(&b, "- flagged: `%s`\n", a)
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
