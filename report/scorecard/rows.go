package scorecard

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"locktorture/checker"
	"locktorture/report/verdict"
)

// A Row is one cell of a matrix over all its seeds.
type Row struct {
	Backend  string `json:"backend"`
	Nemesis  string `json:"nemesis"`
	Workload string `json:"workload"`
	Seeds    int    `json:"seeds"` // number of seeds that have a verdict

	State  string        `json:"state"`
	Reason string        `json:"reason,omitempty"`
	Grade  checker.Grade `json:"grade,omitempty"` // worst of the seeds (see Badness)
	Grades string        `json:"grades,omitempty"`
	// BrokenBy is who broke exclusion in any seed, the lock before the holder.
	BrokenBy checker.Breaker `json:"broken_by,omitempty"`
	Failed   bool            `json:"failed,omitempty"` // Failed of any seed
	// Differs says how the cell differs from what was expected of it; Expected what that was.
	Expected string `json:"expected,omitempty"`
	Differs  string `json:"differs,omitempty"`

	Anomalies map[string]int `json:"anomalies,omitempty"` // number of each kind over all seeds
	Incidents int            `json:"incidents,omitempty"` // number over all seeds
	Grants    int            `json:"grants"`
	GrantRate float64        `json:"grant_rate"`  // grants per second, mean of the seeds
	P50       int64          `json:"acquire_p50"` // ns, median of the seeds' medians
	P99       int64          `json:"acquire_p99"` // ns, worst of the seeds
	Faults    int            `json:"faults"`
	Bites     int            `json:"bites"`
	Loss      []RowLoss      `json:"loss,omitempty"`
	Dir       string         `json:"dir,omitempty"` // run directory of the worst seed

	Tries []Try `json:"tries"`
}

// A RowLoss is what one store lost over all seeds.
type RowLoss struct {
	Store string `json:"store"`
	Lost  int    `json:"lost"`
	Of    int    `json:"of"`
	Unit  string `json:"unit,omitempty"`
}

// String is "plain 3/120".
func (l RowLoss) String() string {
	return fmt.Sprintf("%s %d/%d", l.Store, l.Lost, l.Of)
}

// Rows sums tries up by cell, in the order in which the cells first come.
func Rows(tries []Try) []Row {
	var rows []Row
	index := map[[3]string]int{}
	for _, t := range tries {
		key := [3]string{t.Backend, t.Nemesis, t.Workload}
		i, seen := index[key]
		if !seen {
			i = len(rows)
			index[key] = i
			rows = append(rows, Row{Backend: t.Backend, Nemesis: t.Nemesis, Workload: t.Workload, Anomalies: map[string]int{}})
		}
		rows[i].Tries = append(rows[i].Tries, t)
	}
	for i := range rows {
		rows[i].sum()
	}
	return rows
}

// Badness orders grades from the best to the worst.
func Badness(g checker.Grade) int {
	return slices.Index([]checker.Grade{checker.Safe, checker.FencedG, checker.Unknown, checker.Unsafe}, g)
}

func (r *Row) sum() {
	tally := map[string]int{}
	var medians []int64
	for _, t := range r.Tries {
		r.note(t)
		if t.Result == nil {
			continue
		}
		g, res := t.Grade(), t.Result
		if r.Seeds == 0 || Badness(g) > Badness(r.Grade) {
			r.Grade = g
		}
		r.Seeds++
		tally[verdict.Word(g, res.BrokenBy)]++
		r.BrokenBy = verdict.Worse(r.BrokenBy, res.BrokenBy)
		r.Failed = r.Failed || res.Failed
		for k, n := range res.Counts.Anomalies {
			r.Anomalies[k] += n
		}
		r.Incidents += res.Incidents.Total
		r.Grants += res.Counts.Grants
		r.GrantRate += res.Measures.GrantRate
		medians = append(medians, res.Measures.Acquire.P50)
		r.P99 = max(r.P99, res.Measures.Acquire.P99)
		r.Faults += res.Counts.Faults
		r.Bites += res.Counts.Bites
		r.addLoss(res.Stores)
	}
	if r.Seeds == 0 {
		return
	}
	slices.Sort(medians)
	r.P50 = medians[len(medians)/2]
	r.GrantRate /= float64(r.Seeds)
	r.Grades = gradesLine(tally)
	r.Dir = r.worstTry().Dir
}

// note takes over the state of a try. A failure of the harness is never
// hidden by a seed that went well.
func (r *Row) note(t Try) {
	order := []string{"", NotRun, Tried, NotServed, NotPossible, Refused, DriverFailed, HarnessFailed}
	if slices.Index(order, t.State) > slices.Index(order, r.State) {
		r.State, r.Reason = t.State, t.Reason
	}
}

func (r *Row) addLoss(stores []checker.StoreResult) {
	for _, s := range stores {
		i := slices.IndexFunc(r.Loss, func(l RowLoss) bool { return l.Store == s.Store })
		if i < 0 {
			i = len(r.Loss)
			r.Loss = append(r.Loss, RowLoss{Store: s.Store, Unit: s.LossUnit})
		}
		r.Loss[i].Lost += s.Lost
		r.Loss[i].Of += s.Of
	}
	slices.SortFunc(r.Loss, func(a, b RowLoss) int { return -cmp.Compare(a.Store, b.Store) }) // plain before fenced
}

// gradesLine says how often each verdict came: "1 unsafe, 9 safe".
func gradesLine(tally map[string]int) string {
	var parts []string
	for _, g := range []string{
		string(checker.Unsafe), string(checker.Unknown), verdict.Word(checker.FencedG, checker.TheLock),
		verdict.Word(checker.FencedG, checker.TheHolder), string(checker.FencedG), string(checker.Safe),
	} {
		if tally[g] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", tally[g], g))
		}
	}
	return strings.Join(parts, ", ")
}

// Union returns what all seeds that have a grade came to together: the worst grade and every
// anomaly. Known is their number; those that are unknown, or whose run failed, are no part of
// it.
func (r Row) Union() (all checker.Result, known int) {
	all.Counts.Anomalies = map[string]int{}
	for _, t := range r.Tries {
		if t.State != Tried || t.Grade() == checker.Unknown {
			continue
		}
		if known == 0 || Badness(t.Grade()) > Badness(all.Grade) {
			all.Grade = t.Grade()
		}
		known++
		for k, n := range t.Result.Counts.Anomalies {
			all.Counts.Anomalies[k] += n
		}
		all.Properties = append(all.Properties, t.Result.Properties...)
	}
	return all, known
}
