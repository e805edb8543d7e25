package selftest

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"locktorture/checker"
	"locktorture/internal/exit"
)

// Controls is the table of correct locks under faults and loads that are
// drawn. The second half of so many rounds runs beside as many busy loops as there are cores.
func Controls(rounds int) Table {
	t := &controlTally{rounds: rounds}
	for _, l := range controlLocks() {
		t.all = append(t.all, &controlRow{Lock: l.Backend})
	}
	return t
}

// A controlTally collects the rounds by lock.
type controlTally struct {
	rounds int
	all    []*controlRow
}

func (t *controlTally) section() section { return section{"table of controls"} }
func (t *controlTally) rows() []any      { return anys(t.all) }

func (t *controlTally) play(ctx context.Context, r runner) {
	quiet := (t.rounds + 1) / 2
	all := t.runs(r.Options)
	r.trials(ctx, all[:quiet], t.add(false))
	stop := busyLoops()
	defer stop()
	r.trials(ctx, all[quiet:], t.add(true))
}

// runs draws the rounds. The seed of a round combines the seed of the table and the round's number.
func (t *controlTally) runs(o Options) (all []trial) {
	for n := range t.rounds {
		r := drawRound(o.Seed, n)
		all = append(all, trial{Name: r.Lock.Backend, Args: r.Args, Seed: o.Seed*1_000_000 + uint64(n)})
	}
	return all
}

// busyLoops keeps all cores busy until stop is called.
func busyLoops() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var loops sync.WaitGroup
	for range runtime.NumCPU() {
		loops.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				_ = n // work
			}
		})
	}
	return func() { cancel(); loops.Wait() }
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

// add counts a round, and says what to show of it.
func (t *controlTally) add(busy bool) func(trialResult) (keep bool, line string) {
	return func(r trialResult) (bool, string) {
		var row *controlRow
		for _, row = range t.all {
			if row.Lock == r.Name {
				break
			}
		}
		command := fmt.Sprintf("torture run %s --seed %d", strings.Join(r.Args, " "), r.Seed)
		if r.Failed != "" {
			row.Failed = append(row.Failed, r.Failed+": "+command)
			return true, "no verdict: " + r.Failed
		}
		if busy {
			row.Busy++
		} else {
			row.Quiet++
		}
		row.Grants += r.Result.Counts.Grants
		row.Bites += r.Result.Counts.Bites
		if r.Result.Grade == checker.Unknown {
			row.Unknown++
		}
		if kinds := controlAccusations(r.Result); len(kinds) > 0 {
			row.Accused = append(row.Accused, strings.Join(kinds, ", ")+": "+command)
			return true, "ACCUSED: " + strings.Join(kinds, ", ") + ": " + r.Dir
		}
		return false, "not accused, " + string(r.Result.Grade)
	}
}

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

// code is the worst of the table.
func (t *controlTally) code() int {
	code := exit.OK
	for _, r := range t.all {
		switch {
		case len(r.Failed) > 0:
			code = exit.Worse(code, exit.Harness)
		case len(r.Accused) > 0:
			code = exit.Worse(code, exit.Violated)
		}
	}
	return code
}

// markdown is the table, and a list of what was accused.
func (t *controlTally) markdown(o Options) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\nCommit %s, seed %d, %d runs at a time.\n\n", o.Commit, o.Seed, o.Jobs)
	b.WriteString("| lock | rounds | beside busy loops | grants | faults that took effect | unknown | accused |\n|---|---|---|---|---|---|---|\n")
	for _, r := range t.all {
		fmt.Fprintf(&b, "| `%s` | %d | %d | %d | %d | %d | %d |\n", r.Lock, r.Quiet+r.Busy, r.Busy, r.Grants, r.Bites, r.Unknown, len(r.Accused))
	}
	b.WriteString("\n")
	for _, r := range t.all {
		for _, a := range r.Accused {
			fmt.Fprintf(&b, "- accused of `%s`\n", strings.Replace(a, ": ", "`: `", 1))
		}
		for _, f := range r.Failed {
			fmt.Fprintf(&b, "- no verdict: %s\n", f)
		}
	}
	return b.String() + "\n"
}
