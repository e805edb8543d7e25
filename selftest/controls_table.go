package selftest

import (
	"fmt"
	"strings"

	"locktorture/checker"
)

// Controls is the table of correct locks under faults and loads that are
// drawn. The second half of so many rounds runs beside as many busy loops as there are cores. The seed
// of a round combines the seed of the table and the round's number.
func Controls(rounds int) Table {
	var rows []*controlRow
	for _, l := range controlLocks() {
		rows = append(rows, &controlRow{Lock: l.Backend})
	}
	return Table{
		title: "table of controls", rows: rowsOf(rows), markdown: func(o Options) string { return controlsMarkdown(o, rows) },
		runs: func(o Options) (all []trial) {
			for n := range rounds {
				r := drawRound(o.Seed, n)
				all = append(all, trial{Row: r.Lock.Backend, Args: o.runArgs(r.Args...), Seed: o.Seed*1_000_000 + uint64(n), Busy: n >= (rounds+1)/2})
			}
			return all
		},
	}
}

// A controlRow is what the rounds of one lock came to.
type controlRow struct {
	Lock    string   `json:"lock"`
	Quiet   int      `json:"quiet"` // rounds with a verdict
	Busy    int      `json:"busy"`  // the same, beside busy loops
	Unknown int      `json:"unknown"`
	Grants  int      `json:"grants"`
	Bites   int      `json:"bites"`
	Accused []string `json:"accused,omitempty"`
	Failed  []string `json:"failed,omitempty"` // runs without a verdict
}

func (r *controlRow) name() string { return r.Lock }

// add counts a round, and says what to show of it.
func (r *controlRow) add(c cell) (keep bool, line string) {
	command := "torture " + strings.Join(c.command(), " ")
	if c.Failed != "" {
		r.Failed = append(r.Failed, c.Failed+": "+command)
		return true, "no verdict: " + c.Failed
	}
	if c.Busy {
		r.Busy++
	} else {
		r.Quiet++
	}
	r.Grants += c.Result.Counts.Grants
	r.Bites += c.Result.Counts.Bites
	if c.Result.Grade == checker.Unknown {
		r.Unknown++
	}
	if kinds := controlAccusations(c.Result); len(kinds) > 0 {
		r.Accused = append(r.Accused, strings.Join(kinds, ", ")+": "+command)
		return true, "FLAGGED: " + strings.Join(kinds, ", ") + ": " + c.Dir
	}
	return false, "not flagged, " + string(c.Result.Grade)
}

func (r *controlRow) code() int { return rowCode(len(r.Failed) > 0, len(r.Accused) > 0) }

// controlAccusations returns the accusations of a run. A corrupt store is one, too, unless a holder
// overstayed its lease.
func controlAccusations(r checker.Result) []string {
	kinds := accusations(r)
	if len(kinds) == 0 && r.Counts.Anomalies["overrun"] == 0 {
		for kind := range r.Counts.Anomalies {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// controlsMarkdown is the table, and a list of what was accused.
func controlsMarkdown(o Options, rows []*controlRow) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\nCommit %s, seed %d, %d runs at a time.\n\n", o.Commit, o.Seed, o.Jobs)
	b.WriteString("| lock | rounds | beside busy loops | grants | faults that took effect | unknown | flagged |\n|---|---|---|---|---|---|---|\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| `%s` | %d | %d | %d | %d | %d | %d |\n", r.Lock, r.Quiet+r.Busy, r.Busy, r.Grants, r.Bites, r.Unknown, len(r.Accused))
	}
	b.WriteString("\n")
	for _, r := range rows {
		for _, a := range r.Accused {
			fmt.Fprintf(&b, "- flagged for `%s`\n", strings.Replace(a, ": ", "`: `", 1))
		}
		for _, f := range r.Failed {
			fmt.Fprintf(&b, "- no verdict: %s\n", f)
		}
	}
	return b.String() + "\n"
}
