package matrix

import (
	"os"
	"path/filepath"
	"slices"
	"time"

	"locktorture/internal/wire"
	"locktorture/nemesis"
	"locktorture/registry"
)

// A Config says which runs a matrix has and how they are made. Its names are keys of the tables
// in package registry.
type Config struct {
	Backends  []string
	Nemeses   []string // sets of faults as Sets returns them
	Workloads []string
	Seeds     int    // runs of each cell, with seeds that follow each other
	Seed      uint64 // the first
	Duration  time.Duration
	TTL       time.Duration // a lock that needs a longer one gets its least
	Clients   int
	Fencing   string // for the locks that have tokens; "": what a run does

	Args      []string // of every run: where its servers come from
	KeyPrefix string   // of the user's own servers; each run has one of its own below it, so that it removes the keys of no other; "": none
	Wire      string   // --wire of every run; "": off
	Ledger    string   // --ledger of every run; "": none
	NoConfig  bool     // runs take no settings from files and the environment
	Env       []string // of every run

	On      Executor      // who carries the tries out; nil: this machine, in processes
	Jobs    int           // runs at the same time
	Budget  time.Duration // end within this time; 0: no bound
	Out     string        // directory
	Retries int           // more seeds for a cell that is unknown or has not shown what is expected of it
	Trend   string        // file that keeps the verdicts of all matrices; "": none
	Record  string        // file of what is expected: only what it lacks is run, and Record adds it; "": none
	JSON    bool          // print matrix.json instead of the table
	Quiet   bool          // no progress

	Locks    map[string]registry.Backend // all that there are
	Apps     map[string]App              // the programs that Backends names, in place of locks; nil: locks
	Expected Expectations                // nil: nothing is expected; with Record, what stands there already
	Commit   string                      // of this build
}

// Exists reports whether a directory has a matrix already.
func Exists(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, CellsFile))
	return err == nil
}

// Sets checks sets of faults such as pause+kill-client. The faults of a set are put in order,
// so that a set has one name; all stands for none and each fault alone, but for
// those that are part of another.
func Sets(sets []string) ([]string, error) { return setsOf(registry.Nemeses(), sets) }

// setsOf is Sets where the nemeses are known.
func setsOf(known nemesis.Kinds, sets []string) ([]string, error) {
	if slices.Contains(sets, "all") {
		return append([]string{"none"}, nemesis.Whole(known)...), nil
	}
	var out []string
	for _, set := range sets {
		parts := wire.FaultKinds(set)
		for _, p := range parts {
			if _, ok := known[p]; !ok && (p != "none" || len(parts) > 1) {
				return nil, registry.Unknown("nemesis", p, known)
			}
		}
		slices.Sort(parts)
		out = append(out, wire.Faults(slices.Compact(parts)))
	}
	return Unique(out), nil
}

// Unique drops what came before.
func Unique(names []string) []string {
	var out []string
	for _, n := range names {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}
