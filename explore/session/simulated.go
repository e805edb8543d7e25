package session

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"locktorture/checker"
	"locktorture/explore/kept"
	"locktorture/harness"
	"locktorture/internal/exit"
	"locktorture/internal/suggest"
	"locktorture/locks"
	"locktorture/nemesis/points/schedule"
	"locktorture/registry"
	"locktorture/report"
	"locktorture/runs"
	"locktorture/simulate"
	"locktorture/simulate/inside"
	"locktorture/simulate/machine"
	"locktorture/simulate/search"
	"locktorture/trial"
)

// A Virtual holds the settings of a run in virtual time, as the flags give them. All times are
// virtual.
type Virtual struct {
	Backend    string
	Options    map[string]string
	Workload   string
	TTL        time.Duration
	Duration   time.Duration
	Fencing    string
	Careful    bool
	Seed       uint64
	Clients    int
	Locks      int
	Keys       int
	Sections   int
	Hold       string
	Think      string
	Wait       time.Duration
	FreeWithin time.Duration
	MinGrants  int
	Server     string // etcd@RELEASE or nats@RELEASE; "": the release that torture requires
	Commit     string // source of this build; the caller sets it, not a flag

	guest machine.Kind // kind of guest with which a recorded run was played; machine.Any: unknown
	own   *kept.Lock   // lock of the user's test with which the run was played; nil: Backend
}

// Register adds the flags of a run in virtual time to f.
func (s *Virtual) Register(f *pflag.FlagSet) {
	f.StringVar(&s.Backend, "backend", "", "`name` of the lock, which must be one on Redis, etcd or NATS (docs/explore.md)")
	f.StringToStringVar(&s.Options, "option", nil, "option of the lock, `NAME=VALUE`; may be repeated")
	f.StringVar(&s.Workload, "workload", "", "`name` of the workload, which is the work that holders of the lock do (default: counter, or the usual workload of a lock that nobody holds alone)")
	f.DurationVar(&s.TTL, "ttl", 500*time.Millisecond, "time to live of a lease")
	f.DurationVar(&s.Duration, "duration", 2*time.Second, "length of the phase with faults")
	f.StringVar(&s.Fencing, "fencing", "", "store that the sections use: off (the plain store), on (the store that checks fencing tokens) or both (each section draws one of the two) (default: both if leases have tokens, else off)")
	f.BoolVar(&s.Careful, "careful", true, "clients check their lease before each store operation, and abandon the section if the lease is over")
	f.Uint64Var(&s.Seed, "seed", 1, "number that determines the work and the latencies")
	f.IntVar(&s.Clients, "clients", 3, "number of clients")
	f.IntVar(&s.Locks, "locks", 1, "number of locks")
	f.IntVar(&s.Keys, "keys", 1, "number of objects that a lock protects")
	f.IntVar(&s.Sections, "sections", 0, "end the run when each client has had this number of sections; 0: end the run after --duration")
	f.StringVar(&s.Hold, "hold", "50ms", "duration of the work in a section (see torture run)")
	f.StringVar(&s.Think, "think", "20ms", "how long a client rests before a section (see torture run)")
	f.DurationVar(&s.Wait, "wait", 0, "how long a client waits for a lock before it gives up (default: 2 x ttl)")
	f.DurationVar(&s.FreeWithin, "free-within", 0, "time within which the lock of a dead holder must be free again (default: declared by the backend, else 3 x ttl)")
	f.IntVar(&s.MinGrants, "min-grants", 5, "minimum number of grants; with fewer, the verdict is unknown")
	f.StringVar(&s.Server, "server", "", "release of the servers of a lock on etcd or NATS, such as etcd@v3.5.5 or nats@v2.12.1; built at the first use (default: the release that torture requires)")
}

// Check returns a usage error for settings that cannot be played.
func (s Virtual) Check() error {
	switch {
	case s.Backend == "":
		return exit.Usage("--backend is missing: which lock should be simulated?")
	case s.Clients < 1 || s.Locks < 1 || s.Keys < 1:
		return exit.Usage("--clients %d, --locks %d, --keys %d: each must be at least 1", s.Clients, s.Locks, s.Keys)
	case s.Clients > runs.MostClients:
		return exit.Usage("--clients %d: at most %d", s.Clients, runs.MostClients)
	case s.Duration <= 0 || s.TTL <= 0 || s.TTL > trial.LongestTTL:
		return exit.Usage("--duration %s, --ttl %s: must be positive, and the TTL at most %s", s.Duration, s.TTL, trial.LongestTTL)
	case s.Sections < 0 || s.Wait < 0 || s.FreeWithin < 0:
		return exit.Usage("--sections %d, --wait %s, --free-within %s: must not be negative", s.Sections, s.Wait, s.FreeWithin)
	case !slices.Contains([]string{"", harness.FencingOff, harness.FencingOn, harness.FencingBoth}, s.Fencing):
		return exit.Usage("--fencing %q: must be off, on or both", s.Fencing)
	}
	if _, ok := registry.Find(s.Backend, registry.Locks()); !ok {
		return exit.Usage("--backend: %v", suggest.Among(s.Backend, slices.AppendSeq(slices.AppendSeq(inside.OnNATS(), maps.Keys(inside.OnEtcd())), maps.Keys(inside.Locks()))))
	}
	if _, ok := registry.Workloads()[s.Workload]; !ok && s.Workload != "" {
		return runs.UnknownName("workload", s.Workload, registry.Workloads())
	}
	s = s.completed()
	o := s.order()
	l, err := o.Lock()
	if err != nil {
		return exit.Usage("--backend: %v", err)
	}
	if why := registry.Workloads()[s.Workload].Cannot(l.Traits); why != "" {
		return exit.Usage("--workload %s does not go with %s: %s", s.Workload, s.Backend, why)
	}
	if o.Cluster() != "" {
		for name, value := range o.Options {
			switch given := name + "=" + value; {
			case given == "session=kept" && l.Traits.Validity == "session", given == "unlock=retried" && s.Backend == "etcd-concurrency":
			default:
				return exit.Usage("--option %s: in virtual time, locks on etcd and NATS have only session=kept, for libraries with sessions, and unlock=retried, for etcd-concurrency", given)
			}
		}
	}
	if s.Server != "" && s.release() == "" {
		if o.Cluster() == "" {
			return exit.Usage("--server %q: in virtual time, other releases are for a lock on etcd or NATS; %s runs on Redis", s.Server, s.Backend)
		}
		return exit.Usage("--server %q: name a release of the lock's servers, like etcd@v3.5.5 or nats@v2.12.1", s.Server)
	}
	if s.Fencing != "" && s.Fencing != harness.FencingOff && !l.Traits.Token {
		return exit.Usage("--fencing %s: the leases of %s carry no tokens", s.Fencing, s.Backend)
	}
	if _, err := o.Work(); err != nil {
		return exit.Usage("%v", err)
	}
	return nil
}

// release returns the release of the lock's servers that --server names; "" if it names none.
func (s Virtual) release() string {
	kind, version, _ := strings.Cut(s.Server, "@")
	if kind != s.order().Cluster() || !regexp.MustCompile(`^v[23]\.\d+\.\d+(-[0-9A-Za-z.]+)?$`).MatchString(version) {
		return ""
	}
	return version
}

// completed adds the workload if none is named: the counter, or the usual workload of a lock that
// nobody holds alone.
func (s Virtual) completed() Virtual {
	if s.Workload != "" {
		return s
	}
	s.Workload = "counter"
	b, _ := registry.Find(s.Backend, registry.Locks())
	if k, ok := locks.KindOf(b.Traits.Kind); ok && !k.Alone {
		s.Workload = registry.UsualWorkload(k.Name)
	}
	return s
}

// order returns the order of a run with these settings.
func (s Virtual) order() inside.Order {
	if s.own != nil {
		o := s.own.Order
		o.Clients, o.Duration, o.Hold, o.Think, o.Seed, o.Fencing = s.Clients, s.Duration, s.Hold, s.Think, s.Seed, s.Fencing
		return o
	}
	return inside.Order{
		Backend: s.Backend, Own: onCluster(s.Backend), Options: s.Options, Workload: s.Workload, Locks: registry.Workloads()[s.Workload].LockNames(s.Locks),
		Keys: s.Keys, Hold: s.Hold, Think: s.Think, Clients: s.Clients, TTL: s.TTL, Duration: s.Duration, Wait: s.Wait,
		Seed: s.Seed, Fencing: s.Fencing, Careful: s.Careful, Sections: s.Sections,
	}
}

// Play plays the order with the schedule, as a trial in a new directory of base.
func (s Virtual) Play(ctx context.Context, base string, faults schedule.Schedule) (*trial.Outcome, *simulate.Result, error) {
	g, err := s.guests(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer g.Close()
	t, r, err := g.Play(ctx, s.trial(base), search.Trial{Order: s.order(), Schedule: faults})
	if err != nil {
		return nil, nil, runs.Run{}.Explain(ctx, err)
	}
	return t, r, nil
}

// guestOf returns the kind of guest with which a run was played; machine.Any if it is unknown.
func guestOf(r report.Run) machine.Kind {
	for _, v := range r.Versions {
		if v.Name == "guest" {
			return machine.KindOf(v.Version)
		}
	}
	return machine.Any
}

// trial returns the settings of a trial: base, in which it makes its run directory, and the
// rules of the verdict.
func (s Virtual) trial(base string) trial.Config {
	return trial.Config{
		Base: base, Called: fmt.Sprintf("%s-%d", s.Backend, s.Seed), FreeWithin: s.FreeWithin,
		Options:   checker.Options{Workload: s.Workload, MinGrants: s.MinGrants, Timeout: time.Minute, Memory: 2 << 30},
		Invariant: registry.Invariant(s.Workload), Commit: s.Commit, Versions: runs.Versions(s.Commit),
		Label: func(r *report.Run, on trial.Setting) {
			r.Backend, r.Flags, r.Reproduce = s.Backend, s.flags(), "torture replay "+on.Dir.Path
		},
	}
}

// flags returns all flags with the values of s.
func (s Virtual) flags() (out []report.Flag) {
	var copied Virtual
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	copied.Register(f)
	copied = s
	f.VisitAll(func(flag *pflag.Flag) {
		if flag.Name != "option" {
			out = append(out, report.Flag{Name: flag.Name, Value: flag.Value.String()})
		}
	})
	for _, name := range slices.Sorted(maps.Keys(s.Options)) {
		out = append(out, report.Flag{Name: "option", Value: name + "=" + s.Options[name]})
	}
	return out
}

// simSpecOf returns the settings of a recorded run. own is the lock of the user's test with
// which the run was played; nil: a lock of torture.
func simSpecOf(r report.Run, own *kept.Lock) (s Virtual, err error) {
	if own != nil {
		return simSpecOfOwn(r, own), nil
	}
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	s.Register(f)
	for _, flag := range r.Flags {
		if err := f.Set(flag.Name, flag.Value); err != nil {
			return s, exit.Usage("run.json: --%s %q: %v; another version of torture wrote it", flag.Name, flag.Value, err)
		}
	}
	s.guest = guestOf(r)
	return s, s.Check()
}
