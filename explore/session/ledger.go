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

// book begins the line of a search in the ledger, if there is to be one.
func (s Explore) book(known map[string]registry.Backend) (*runs.Bookkeeper, registry.Backend, error) {
	lock, _ := registry.Find(s.Backend, known) // refuse has looked
	lock.Name = s.Backend
	k, err := s.Bookkeeper(s.Commit)
	if err == nil {
		err = k.BeginKind(ledger.Search, lock, "")
	}
	return k, lock, err
}

// note adds the line. A search that was interrupted before it found something has none.
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

// changing are the flags of a world that a line has no field for; at their defaults they are left out.
func changing() []string {
	return []string{"duration", "fencing", "careful", "locks", "keys", "sections", "hold", "think", "wait", "free-within", "min-grants", "server"}
}

// asked are the flags that decide what is searched, but for those that end it.
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
