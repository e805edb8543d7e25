package session

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"locktorture/checker"
	"locktorture/internal/exit"
	"locktorture/internal/suggest"
	"locktorture/nemesis/points/schedule"
	"locktorture/registry"
	"locktorture/runs"
	"locktorture/simulate/inside"
	"locktorture/simulate/search"
)

// An Explore holds the settings of torture explore and torture shrink, as the flags give them.
type Explore struct {
	Virtual  // Backend is the argument of the command, not a flag
	Find     []string
	Budget   time.Duration
	Trials   int
	Strategy string
	Kinds    []string
	Jobs     int
	Shrink   bool
	Confirm  int // number of rounds on real servers; 0: none
	runs.LedgerSpec

	known            map[string]registry.Backend // all backends by name, for the rounds of Confirm
	told             *search.Report
	Driver, Topology string // flags that are always refused, with a reason
	Dir              string
	Quiet, JSON      bool
}

func (s *Explore) Register(f *pflag.FlagSet) {
	s.Virtual.Register(f)
	unseeded(f)
	f.StringSliceVar(&s.Find, "find", nil, "`anomalies` that end the search, comma separated (default: all anomalies that are the lock's fault, which excludes overruns)")
	f.DurationVar(&s.Budget, "budget", 10*time.Minute, "time limit of the search; 0: no limit")
	f.IntVar(&s.Trials, "trials", 1000, "maximum number of trials; 0: no limit, which is the default with --budget")
	f.StringVar(&s.Strategy, "strategy", search.Usual, "how faults are drawn; "+strategyHelp())
	f.StringSliceVar(&s.Kinds, "kinds", KindNames(), "kinds of `faults`, comma separated: "+strings.Join(KindNames(), ", ")+" (default: all that the servers support, except "+namesThat(func(f schedule.Form) bool { return f.Asked })+")")
	f.Lookup("kinds").DefValue = "[]" // the usage tells the default in a sentence
	f.IntVar(&s.Jobs, "jobs", 2, "number of simultaneous trials; does not change the trials")
	f.BoolVar(&s.Shrink, "shrink", true, "reduce a finding, and explain its cause")
	f.IntVar(&s.Confirm, "confirm", 10, "number of rounds that repeat a finding on real servers; 0: none")
	f.StringVar(&s.Driver, "driver", "", "not supported: only locks in Go can be simulated")
	f.StringVar(&s.Topology, "topology", "", "not supported: each lock is simulated on its plain topology")
	f.StringVar(&s.Dir, "dir", "results/runs", "`directory` in which the run directory of a finding is made")
	s.LedgerSpec.Register(f)
	f.BoolVar(&s.Quiet, "quiet", false, "print no progress")
	f.BoolVar(&s.JSON, "json", false, "print one JSON object (docs/files.md)")
	for _, name := range []string{"driver", "topology"} {
		_ = f.MarkHidden(name)
	}
}

func strategyHelp() (text string) {
	all := search.Strategies()
	for i, name := range slices.Sorted(maps.Keys(all)) {
		if i > 0 {
			text += "; "
		}
		text += name + ": " + all[name]
	}
	return text
}

// KindNames returns the names of all kinds of faults that a search can draw.
func KindNames() []string { return namesOf(schedule.Kinds()) }

// namesThat lists the kinds of faults for whose form some returns true, joined by "and".
func namesThat(some func(schedule.Form) bool) string {
	forms := schedule.Forms()
	names := namesOf(slices.DeleteFunc(schedule.Kinds(), func(k schedule.Kind) bool { return !some(forms[k]) }))
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

func namesOf(kinds []schedule.Kind) (names []string) {
	for _, k := range kinds {
		names = append(names, string(k))
	}
	return names
}

// unseeded changes the flags of a single run to those of a search: it sets their defaults and
// usages. It hides --backend, which is the argument of the command, and --min-grants.
func unseeded(f *pflag.FlagSet) {
	for name, change := range map[string]struct{ usual, usage string }{
		"duration": {"1.5s", "length of the phase with faults in a trial; without this flag, it is three TTLs"},
		"seed":     {"0", "seed of all random choices (default: drawn)"},
		"ttl":      {"500ms", "time to live of a lease; without this flag, a lock that needs a longer TTL gets the shortest one that it can use"},
		"clients":  {"3", "number of clients; about two thirds of the trials have only two"},
	} {
		flag := f.Lookup(name)
		flag.DefValue, flag.Usage = change.usual, change.usage
		_ = flag.Value.Set(change.usual) // cannot fail: the value has the type of its flag
	}
	for _, name := range []string{"backend", "min-grants"} {
		_ = f.MarkHidden(name)
	}
}

// fit sets the TTL and the duration where the command line does not name them: at least the
// shortest TTL of the lock, and three TTLs, which is long enough for the consequences of a
// fault.
func (s *Explore) fit(cmd runs.Command) {
	l, err := inside.Order{Backend: s.Backend, Own: onCluster(s.Backend)}.Lock()
	if err == nil && !cmd.Flags().Changed("ttl") {
		s.TTL = max(s.TTL, l.Traits.LeastTTL)
	}
	if !cmd.Flags().Changed("duration") {
		s.Duration = 3 * s.TTL
	}
}

// loads returns the default loads of the worlds. It returns nil if the user or a recorded run
// has set the load.
func (s Explore) loads(cmd runs.Command) []search.Load {
	if cmd.Flags().Lookup("hold") == nil || cmd.Flags().Changed("hold") || cmd.Flags().Changed("think") {
		return nil
	}
	usual := search.Load{Hold: s.Hold, Think: s.Think}
	loads := s.loadsOf(usual)
	if l, err := s.Virtual.order().Lock(); err == nil && l.Traits.Validity == "session" && l.Traits.FreeWithin != nil {
		resting := search.Resting(s.TTL, l.Traits.FreeWithin(s.TTL))
		loads = append(loads, resting, resting)
	}
	return loads
}

// loadsOf returns the loads that suit the kinds of faults.
func (s Explore) loadsOf(usual search.Load) []search.Load {
	ofCluster := func(k schedule.Kind) bool { return schedule.Forms()[k].Cluster && !schedule.Forms()[k].Etcd }
	switch kinds := s.kinds(); {
	case !slices.ContainsFunc(kinds, ofCluster):
		return search.Loads(usual, s.TTL)
	case slices.ContainsFunc(kinds, func(k schedule.Kind) bool { return !ofCluster(k) }):
		return append(search.Loads(usual, s.TTL), search.Outlasting(usual, s.TTL))
	}
	return []search.Load{usual, search.Outlasting(usual, s.TTL)}
}

// order completes the settings of the search, and returns the order of a trial without faults.
// The error tells why there can be no such search.
func (s *Explore) order(cmd runs.Command, known map[string]registry.Backend) (inside.Order, error) {
	if err := s.refuse(known); err != nil {
		return inside.Order{}, err
	}
	if flags := cmd.Flags(); flags.Changed("budget") && !flags.Changed("trials") {
		s.Trials = 0
	}
	if !cmd.Flags().Changed("seed") {
		s.Seed = rand.Uint64N(1_000_000)
	}
	s.fit(cmd)
	if err := s.Virtual.Check(); err != nil {
		return inside.Order{}, err
	}
	s.Virtual = s.completed()
	o := s.Virtual.order()
	l, err := o.Lock()
	if err != nil {
		return o, exit.Usage("%v", err)
	}
	if s.TTL < l.Traits.LeastTTL {
		return o, exit.Usage("--ttl %s: %s needs at least %s", s.TTL, s.Backend, l.Traits.LeastTTL)
	}
	switch o.Cluster() {
	case inside.NATS:
		return o, s.without(cmd, func(k schedule.Kind) bool { return schedule.Forms()[k].Etcd }, "only etcd supports "+namesThat(func(f schedule.Form) bool { return f.Etcd }))
	case inside.Etcd:
		return o, s.without(cmd, func(k schedule.Kind) bool { return k == schedule.Clock || k == schedule.Skew },
			"clock and skew move wall clocks, but etcd's leases use monotonic clocks")
	}
	return o, s.without(cmd, func(k schedule.Kind) bool { return schedule.Forms()[k].Cluster }, namesThat(func(f schedule.Form) bool { return f.Cluster })+" strike servers of a cluster, such as those of a lock on etcd or NATS")
}

// without removes the kinds of faults that the servers cannot have, for the reason why. It
// refuses them if --kinds names them. Without --kinds it also removes the kinds that must be
// named.
func (s *Explore) without(cmd runs.Command, cannot func(schedule.Kind) bool, why string) error {
	asked := cmd.Flags().Changed("kinds")
	all := slices.DeleteFunc(slices.Clone(s.Kinds), func(k string) bool {
		return cannot(schedule.Kind(k)) || !asked && schedule.Forms()[schedule.Kind(k)].Asked
	})
	if asked && len(all) < len(s.Kinds) {
		return exit.Usage("--kinds: %s", why)
	}
	s.Kinds = all
	return nil
}

// refuse returns a usage error for a lock or a setting with which no search is possible.
func (s Explore) refuse(known map[string]registry.Backend) error {
	b, ok := registry.Find(s.Backend, known)
	switch {
	case s.Driver != "" || ok && b.Driver != nil:
		return exit.Usage("a driver cannot be simulated: such a program has its own clock, threads and sockets. A driver can be tried on real servers with --driver of torture run")
	case s.Topology != "":
		return exit.Usage("--topology: a lock is simulated on its plain topology; simulated servers neither replicate nor fail over")
	case !ok:
		return runs.UnknownName("backend", s.Backend, known)
	case s.Jobs < 1:
		return exit.Usage("--jobs %d: at least one is needed", s.Jobs)
	case s.Budget < 0 || s.Trials < 0:
		return exit.Usage("--budget %s, --trials %d: must not be negative", s.Budget, s.Trials)
	}
	for _, kind := range s.Kinds {
		if !slices.Contains(KindNames(), kind) {
			return exit.Usage("--kinds: %v", suggest.Among(kind, KindNames()))
		}
	}
	if _, ok := search.Strategies()[s.Strategy]; !ok {
		return exit.Usage("--strategy: %v", suggest.Among(s.Strategy, slices.Sorted(maps.Keys(search.Strategies()))))
	}
	if s.Confirm < 0 {
		return exit.Usage("--confirm %d: must not be negative", s.Confirm)
	}
	if len(s.Kinds) == 0 {
		return exit.Usage("--kinds: at least one is needed")
	}
	return s.checkFind()
}

// checkFind returns a usage error if --find names an anomaly that does not exist.
func (s Explore) checkFind() error {
	for _, kind := range s.Find {
		if !slices.Contains(checker.Kinds(), kind) {
			return exit.Usage("--find: %v", suggest.Among(kind, checker.Kinds()))
		}
	}
	return nil
}

// kinds returns the kinds of faults that --kinds names.
func (s Explore) kinds() (all []schedule.Kind) {
	for _, k := range s.Kinds {
		all = append(all, schedule.Kind(k))
	}
	return all
}
