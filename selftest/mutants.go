package selftest

import (
	"fmt"
	"slices"
	"strings"

	"locktorture/checker"
	"locktorture/locks/mutants"
	"locktorture/registry"
)

// Mutants is the table of locks that are broken on purpose, each beside its correct twin. only
// names switches, with or without the prefix of a mutant; none stands for all. The error is
// that of a name that there is not.
func Mutants(only []string) (Table, error) {
	chosen, err := mutantRows(only)
	if err != nil {
		return Table{}, err
	}
	return mutantTable(newTallyRows(chosen)), nil
}

func mutantTable(rows []*tallyRow) Table {
	return Table{
		title: "table of mutants", rows: rowsOf(rows), markdown: func(o Options) string { return mutantsMarkdown(o, rows) },
		runs: func(o Options) []trial {
			return bySeed(o, rows, func(r *tallyRow) []string { return o.runArgs(append([]string{"--backend", r.Name}, r.Flags...)...) })
		},
	}
}

// mutantRows are the mutants that were named.
func mutantRows(only []string) ([]mutants.Mutant, error) {
	names := slices.Clone(only)
	for i, name := range names {
		names[i] = strings.TrimPrefix(name, registry.MutantPrefix)
	}
	return chosen(names, "mutant", registry.MutantRows(), func(m mutants.Mutant) string { return string(m.Switch) })
}

// A tallyRow is a mutant, or a twin with the flags of some mutants.
type tallyRow struct {
	Name    string          `json:"name"`
	Mutant  *mutants.Mutant `json:"-"` // nil: a twin
	Flags   []string        `json:"flags,omitempty"`
	Anomaly string          `json:"anomaly,omitempty"` // that must be named
	finding
	Accused []string `json:"accused,omitempty"` // a twin, of what
	Unknown int      `json:"unknown,omitempty"` // verdicts
	Fired   int      `json:"fired,omitempty"`   // at least
	key     string
}

// newTallyRows are mutants, each after the twin with its flags.
func newTallyRows(of []mutants.Mutant) (all []*tallyRow) {
	twins := map[string]bool{}
	for _, m := range of {
		twin := &tallyRow{Name: registry.TwinPrefix + m.Family, Flags: m.Flags}
		if twin.key = twin.Name + " " + strings.Join(m.Flags, " "); !twins[twin.key] {
			all = append(all, twin)
		}
		twins[twin.key] = true
		name := registry.MutantPrefix + string(m.Switch)
		all = append(all, &tallyRow{Name: name, Mutant: &m, Flags: m.Flags, Anomaly: m.Anomaly, key: name})
	}
	return all
}

func (r *tallyRow) name() string { return r.key }

// add counts a run, and says what to show of it.
func (r *tallyRow) add(c cell) (keep bool, line string) {
	r.Fired += c.Fired
	if why := r.noVerdict(c); why != "" {
		return true, why
	}
	if c.Result.Grade == checker.Unknown {
		r.Unknown++
	}
	if r.Mutant == nil {
		accused := accusations(c.Result)
		for _, kind := range accused {
			r.Accused = append(r.Accused, fmt.Sprintf("%s (seed %d)", kind, c.Seed))
		}
		if len(accused) > 0 {
			return true, "FLAGGED: " + strings.Join(accused, ", ") + ": " + c.Dir
		}
		return false, "not flagged, " + string(c.Result.Grade)
	}
	return r.look(c, fmt.Sprintf("%s; fired %d", seenIn(c.Result), c.Fired), append([]string{r.Anomaly}, r.Mutant.Or...)...)
}

// code says whether a mutant was found where it must be, or a twin not accused.
func (r *tallyRow) code() int {
	return rowCode(len(r.finding.Failed) > 0, len(r.Accused) > 0 || r.Mutant != nil && (r.Found == 0 || r.Found < r.Of && r.Mutant.Luck == ""))
}
