package selftest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"locktorture/locks/mutants"
	"locktorture/registry"
	"locktorture/simulate/inside"
	"locktorture/workloads"
)

// VirtualMutants is the table of the mutants that can be played in virtual time, each with at
// most so many trials of a search, and their twins with as many. The faults are drawn by the
// search, the flags those of searchFlags. only is as in Mutants.
func VirtualMutants(only []string, trials int) (Table, error) {
	rows, err := mutantRows(only)
	if err != nil {
		return Table{}, err
	}
	t := &virtualTally{trials: trials}
	for _, m := range rows {
		name, flags := registry.MutantPrefix+string(m.Switch), searchFlags(m)
		if why := unplayable(name, flags); why != "" {
			t.without = append(t.without, fmt.Sprintf("`%s`: %s", name, why))
			continue
		}
		kinds := soundKinds
		if slices.Contains(m.Flags, "client-clock") {
			kinds += ",skew" // it is what shows the mutant
		}
		t.add(virtualRow{Backend: registry.TwinPrefix + m.Family, Flags: append(slices.Clone(flags), "--kinds", soundKinds)})
		t.add(virtualRow{Backend: name, Anomalies: append([]string{m.Anomaly}, m.Or...), Flags: append(flags, "--kinds", kinds), Luck: m.Luck != ""})
	}
	return t.table("table of mutants in virtual time", func(o Options) []trial {
		return bySeed(o, t.all, func(r *virtualRow) []string { return r.args(o, trials) })
	}), nil
}

// searchFlags returns the flags of a mutant's searches: its own flags for searches if it has any,
// else the flags of its runs that a search takes and needs.
func searchFlags(m mutants.Mutant) (all []string) {
	if m.Virtual != nil {
		return slices.Clone(m.Virtual)
	}
	flags := m.Flags
	for i := 0; i+1 < len(flags); i += 2 {
		if flags[i] == "--workload" || flags[i] == "--locks" {
			all = append(all, flags[i], flags[i+1])
		}
	}
	return all
}

// unplayable says why a mutant cannot be played in virtual time; "" if it can.
func unplayable(name string, flags []string) string {
	if _, ok := inside.Find(name); !ok {
		return "its server is not Redis"
	}
	if i := slices.Index(flags, "--workload"); i >= 0 {
		if _, ok := workloads.InMemory()[flags[i+1]]; !ok {
			return "the workload " + flags[i+1] + " is not simulated"
		}
	}
	return ""
}

// roundsEach is how many trials of a control are one search: one process, one workload.
const roundsEach = 50

// virtualControls are correct locks of one Redis and of five.
func virtualControls() []string {
	twin := func(family string) string { return registry.TwinPrefix + family }
	return []string{
		"redis-fenced", "redis-watchdog", "redis-lua", "redislock", "redlock",
		twin(mutants.FamilyKey), twin(mutants.FamilyWatched), twin(mutants.FamilyQuorum),
	}
}

// VirtualControls is the table of correct locks in virtual time, in so many trials all told:
// each search of 50 has a workload and a number of clients that are drawn, and its faults are
// those that such a lock must stand.
func VirtualControls(rounds int) Table {
	t := &virtualTally{trials: roundsEach}
	for _, name := range virtualControls() {
		t.add(virtualRow{Backend: name, Flags: []string{"--kinds", soundKinds}})
	}
	return t.table("table of controls in virtual time", func(o Options) (all []trial) {
		for n := 0; n*roundsEach < rounds; n++ {
			r := rand.New(rand.NewPCG(o.Seed, uint64(n)))
			row := t.all[n%len(t.all)]
			args := append(row.args(o, min(roundsEach, rounds-n*roundsEach)),
				"--workload", pickOf(r, simulated(row.Backend)), "--clients", fmt.Sprint(2+r.IntN(3)))
			all = append(all, trial{Row: row.name(), Args: args, Seed: o.Seed*1_000_000 + uint64(n)})
		}
		return all
	})
}

// simulated are the workloads of a lock that can be played in virtual time.
func simulated(backend string) (all []string) {
	l, _ := inside.Find(backend)
	for _, name := range registry.WorkloadsFor(l.Traits) {
		if _, ok := workloads.InMemory()[name]; ok {
			all = append(all, name)
		}
	}
	return all
}

func (r *virtualRow) name() string { return strings.Join(append([]string{r.Backend}, r.Flags...), " ") }

// args returns the arguments of a row's search without its seed. trials limits the search.
func (r *virtualRow) args(o Options, trials int) []string {
	args := append([]string{"explore", r.Backend}, r.Flags...)
	if len(r.Anomalies) > 0 {
		args = append(args, "--find", strings.Join(r.Anomalies, ","))
	}
	return append(args, "--trials", fmt.Sprint(trials), "--budget", "0", "--shrink=false", "--confirm", "0", "--jobs", fmt.Sprint(o.Jobs))
}
