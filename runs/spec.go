package runs

import (
	"time"

	"github.com/spf13/pflag"

	"locktorture/internal/exit"
	"locktorture/registry"
	"locktorture/trial"
)

// A Spec is what the flags of torture run say. They may ask for many runs: see Run.
type Spec struct {
	LockSpec
	Workloads string // one, or allWorkloads
	Nemesis   []string
	Duration  time.Duration
	Clients   int
	Locks     int
	TTL       time.Duration
	FirstSeed uint64
	Fencing   string
	Careful   bool
	ServerSpec
	loadSpec
	AccessSpec

	InProcess  bool
	Schedule   string
	FreeWithin time.Duration
	MinGrants  int

	Timeout time.Duration
	Memory  int64 // MB

	Expect    string
	Repeat    int
	UntilFail bool

	StopOnViolation bool
	HistoryLimit    int64 // MB; 0: a part of the free disk
	WireSpec
	LedgerSpec
	Dir   string
	JSON  bool
	Quiet bool

	Commit string // of this build of torture; no flag
}

// Register adds the flags of a run.
func (s *Spec) Register(f *pflag.FlagSet) {
	f.StringVar(&s.Backend, "backend", "redlock", "`name` of the lock to test (torture list backends)")
	f.StringVar(&s.Driver, "driver", "", "`command` that starts the driver of a lock of your own (docs/first-driver.md); needs --topology")
	f.StringToStringVar(&s.Options, "option", nil, "option of a driver or a library, `NAME=VALUE`; may be repeated")
	f.StringVar(&s.Workloads, "workload", "seckill", "`name` of the workload, which is the work that holders of the lock do (torture list workloads); all: run each workload in turn; non-exclusive locks have another default")
	f.StringSliceVar(&s.Nemesis, "nemesis", []string{"pause", "clock"}, "`faults` to inject, comma separated (torture list nemeses); all: every fault that is possible here; none: no faults; without this flag, torture leaves out those of the default faults that are impossible here")
	f.DurationVar(&s.Duration, "duration", 30*time.Second, "length of the phase with faults")
	f.IntVar(&s.Clients, "clients", 5, "number of clients, each a process of its own")
	f.IntVar(&s.Locks, "locks", 1, "number of locks")
	f.DurationVar(&s.TTL, "ttl", 2*time.Second, "time to live of a lease, for locks with a TTL")
	f.Uint64Var(&s.FirstSeed, "seed", 0, "number that determines the work and the faults (default: drawn)")
	s.ServerSpec.Register(f)
	f.StringVar(&s.Topology, "topology", "", "`name` of the topology, if a backend has several (default: the plain one; for the fault failover: the replicated one)")
	f.StringVar(&s.Fencing, "fencing", "", "store that the sections use: off (the plain store), on (the store that checks fencing tokens) or both (each section draws one of the two) (default: both if leases have tokens, else off)")
	f.BoolVar(&s.Careful, "careful", true, "clients check their lease before each store operation, and abandon the section if the lease is over")
	f.BoolVar(&s.InProcess, "in-process", false, "run the clients in the process of torture, which is faster; but no fault can pause or kill them")
	f.StringVar(&s.Schedule, "schedule", "", "`file` with the faults: schedule.jsonl of a run, or a schedule of faults at points as in docs/explore.md (default: faults are drawn from the seed)")
	f.DurationVar(&s.FreeWithin, "free-within", 0, "time within which the lock of a dead holder must be free again (default: declared by the backend, else 3 x ttl)")
	f.IntVar(&s.MinGrants, "min-grants", 20, "minimum number of grants; with fewer, the verdict is unknown")
	f.DurationVar(&s.Timeout, "check-timeout", time.Minute, "time limit of the linearizability check; if the time is over, the outcome is unknown")
	f.Int64Var(&s.Memory, "check-memory", 2048, "memory limit of the linearizability check, in `MB`")
	f.StringVar(&s.Expect, "expect", "", "expected verdict, `GRADE[+anomaly...]`: exactly this grade, with at least these anomalies")
	f.IntVar(&s.Repeat, "repeat", 1, "number of runs, with consecutive seeds; at the end torture counts the verdicts")
	f.BoolVar(&s.UntilFail, "until-fail", false, "with --repeat: stop after the first run whose result is not as expected")
	f.BoolVar(&s.StopOnViolation, "stop-on-violation", false, "end the run at the first observed violation")
	f.Int64Var(&s.HistoryLimit, "history-limit", 0, "maximum size of the history, in `MB`; at this size the run ends and is judged (default: a quarter of the free disk)")
	s.WireSpec.Register(f, "64")
	s.LedgerSpec.Register(f)
	f.StringVar(&s.Dir, "dir", "results/runs", "`directory` for the run directories")
	f.BoolVar(&s.JSON, "json", false, "print one JSON object for each run (docs/files.md)")
	f.BoolVar(&s.Quiet, "quiet", false, "print no progress")
	s.loadSpec.Register(f)
	s.AccessSpec.Register(f)
}

// MostClients is how many clients a run may have. Each has a process and a connection to every
// server: with many more a machine is busy with starting them, and can hardly be stopped.
const MostClients = 10_000

// Check refuses what cannot be, whatever the lock.
func (s Spec) Check() error {
	if err := s.ServerSpec.Check(""); err != nil {
		return err
	}
	if err := s.AccessSpec.Check(); err != nil {
		return err
	}
	if err := s.WireSpec.Check(); err != nil {
		return err
	}
	if _, ok := registry.Workloads()[s.Workloads]; !ok && s.Workloads != allWorkloads {
		return UnknownName("workload", s.Workloads, registry.Workloads())
	}
	switch {
	case s.Clients < 1:
		return exit.Usage("--clients %d: at least one is needed", s.Clients)
	case s.Clients > MostClients:
		return exit.Usage("--clients %d: at most %d, each is a process of its own", s.Clients, MostClients)
	case s.Locks < 1:
		return exit.Usage("--locks %d: at least one is needed", s.Locks)
	case s.Duration <= 0:
		return exit.Usage("--duration %s: must be positive", s.Duration)
	case s.TTL <= 0:
		return exit.Usage("--ttl %s: must be positive", s.TTL)
	case s.TTL > trial.LongestTTL:
		return exit.Usage("--ttl %s: at most %s", s.TTL, trial.LongestTTL)
	case s.HistoryLimit < 0:
		return exit.Usage("--history-limit %d: must not be negative", s.HistoryLimit)
	case s.Repeat < 1:
		return exit.Usage("--repeat %d: at least one is needed", s.Repeat)
	}
	if err := s.loadSpec.Check(); err != nil {
		return err
	}
	_, err := s.config()
	return err
}
