package session

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kballard/go-shellquote"
	"github.com/spf13/pflag"

	"locktorture/explore"
	"locktorture/ledger"
	"locktorture/nemesis/points/schedule"
	"locktorture/registry"
	"locktorture/runs"
	"locktorture/simulate/inside"
	"locktorture/simulate/search"
)

// book begins the line of a search in the ledger. Without --ledger it returns a nil
// Bookkeeper, which writes nothing.
func (s Explore) book(known map[string]registry.Backend) (*runs.Bookkeeper, registry.Backend, error) {
	lock, _ := registry.Find(s.Backend, known) // refuse has checked that the lock exists
	lock.Name = s.Backend
	k, err := s.Bookkeeper(s.Commit)
	if err == nil {
		err = k.BeginKind(ledger.Search, lock, "")
	}
	return k, lock, err
}

// note adds the line of the search to the ledger. It adds none for a search that was
// interrupted before it found something.
func (s Explore) note(cmd runs.Command, k *runs.Bookkeeper, lock registry.Backend, o inside.Order, t search.Tally, f *explore.Finding) error {
	if f == nil && cmd.Context().Err() != nil {
		return nil
	}
	l := ledger.Line{Kind: ledger.Search, Workload: o.Workload, Flags: s.asked(o, cmd.Flags()), Seed: o.Seed, Grade: ledger.NotFound, Trials: t.Trials}
	if f != nil {
		l.Grade, l.Anomalies = ledger.Found, []string{f.Mechanism.Anomaly}
	}
	return k.Note(lock, l)
}

// changing returns the names of the flags that change a world and have no field in a line of
// the ledger. A line lists only those that the user has set.
func changing() []string {
	return []string{"duration", "fencing", "careful", "locks", "keys", "sections", "hold", "think", "wait", "free-within", "min-grants", "server"}
}

// asked returns the flags that determine the worlds and faults of a search, but not its end.
func (s Explore) asked(o inside.Order, flags *pflag.FlagSet) string {
	words := []string{"--clients", strconv.Itoa(o.Clients), "--ttl", o.TTL.String()}
	for _, name := range slices.Sorted(maps.Keys(s.Options)) {
		words = append(words, "--option", name+"="+s.Options[name])
	}
	for _, name := range changing() {
		if f := flags.Lookup(name); f.Changed {
			words = append(words, "--"+name+"="+f.Value.String())
		}
	}
	if len(s.Find) > 0 {
		words = append(words, "--find", strings.Join(s.Find, ","))
	}
	if !slices.Equal(s.Kinds, namesOf(schedule.OnSingle())) {
		words = append(words, "--kinds", strings.Join(s.Kinds, ","))
	}
	if s.Strategy != search.Usual {
		words = append(words, "--strategy", s.Strategy)
	}
	return shellquote.Join(words...)
}
