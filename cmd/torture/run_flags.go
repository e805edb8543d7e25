package main

import (
	"time"

	"github.com/spf13/pflag"

	"locktorture/registry"
	"locktorture/trial"
)

// A runSpec is what the flags of torture run say. They may ask for many runs: see run.
type runSpec struct {
	lockSpec
	Workloads string // one, or allWorkloads
	Nemesis   []string
	Duration  time.Duration
	Clients   int
	Locks     int
	TTL       time.Duration
	FirstSeed uint64
	Fencing   string
	Careful   bool
	serverSpec
	loadSpec
	accessSpec

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
	Dir             string
	JSON            bool
	Quiet           bool
}

// register adds the flags of a run.
func (s *runSpec) register(f *pflag.FlagSet) {
	f.StringVar(&s.Backend, "backend", "redlock", "the lock (torture list backends)")
	f.StringVar(&s.Driver, "driver", "", "a lock of your own instead: the command of a program that speaks the driver protocol\n(docs/first-driver.md); needs --topology")
	f.StringToStringVar(&s.Options, "option", nil, "an option of a driver, NAME=VALUE; may be repeated")
	f.StringVar(&s.Workloads, "workload", "seckill", "what clients do inside it (torture list workloads); all takes them in turn; for read-write locks and semaphores the default is document and rate")
	f.StringSliceVar(&s.Nemesis, "nemesis", []string{"pause", "clock"}, "faults, comma separated; all takes every one that is possible, none takes none;\nwithout the flag those of the default that are possible")
	f.DurationVar(&s.Duration, "duration", 30*time.Second, "of the phase with faults")
	f.IntVar(&s.Clients, "clients", 5, "number of clients, each a process of its own")
	f.IntVar(&s.Locks, "locks", 1, "number of locks")
	f.DurationVar(&s.TTL, "ttl", 2*time.Second, "time to live of a lease, for locks that have one")
	f.Uint64Var(&s.FirstSeed, "seed", 0, "fixes the work of each process and the fault schedule (default: drawn)")
	s.serverSpec.register(f)
	f.StringVar(&s.Topology, "topology", "", "of the servers, where a backend has more than one (default: its plain one, or the replicated one for failover)")
	f.StringVar(&s.Fencing, "fencing", "", "off, on or both: which stores the sections work on (default: both where leases have tokens, else off)")
	f.BoolVar(&s.Careful, "careful", true, "clients ask their lease before each store operation and give up when it is over")
	f.BoolVar(&s.InProcess, "in-process", false, "no process for each client: faster, but clients can be neither stopped nor killed")
	f.StringVar(&s.Schedule, "schedule", "", "a stored fault schedule (schedule.jsonl of a run) instead of a drawn one")
	f.DurationVar(&s.FreeWithin, "free-within", 0, "a lock whose holder is gone must be free again after this (default: what the backend declares, else 3 x ttl)")
	f.IntVar(&s.MinGrants, "min-grants", 20, "a run with fewer grants is unknown")
	f.DurationVar(&s.Timeout, "check-timeout", time.Minute, "bound of the linearizability check; beyond it is unknown")
	f.Int64Var(&s.Memory, "check-memory", 2048, "bound of the same, in MB")
	f.StringVar(&s.Expect, "expect", "", "GRADE[+anomaly...]: exactly this grade, and these anomalies among those found")
	f.IntVar(&s.Repeat, "repeat", 1, "run that often, and say how often each verdict came back")
	f.BoolVar(&s.UntilFail, "until-fail", false, "with --repeat: stop at the first run that is not as expected")
	f.BoolVar(&s.StopOnViolation, "stop-on-violation", false, "end the run when the monitor sees the first violation (models mutex and fenced)")
	f.Int64Var(&s.HistoryLimit, "history-limit", 0, "end the run in order when its history has so many MB (default: a quarter of the free disk)")
	f.StringVar(&s.Dir, "dir", "results/runs", "where run directories are made")
	f.BoolVar(&s.JSON, "json", false, "print one JSON object for each run instead of text")
	f.BoolVar(&s.Quiet, "quiet", false, "no progress")
	s.loadSpec.register(f)
	s.accessSpec.register(f)
}

// check refuses what cannot be, whatever the lock.
func (s runSpec) check() error {
	if err := s.serverSpec.check(""); err != nil {
		return err
	}
	if err := s.accessSpec.check(); err != nil {
		return err
	}
	if _, ok := registry.Workloads()[s.Workloads]; !ok && s.Workloads != allWorkloads {
		return unknownName("workload", s.Workloads, registry.Workloads())
	}
	switch {
	case s.Clients < 1:
		return usage("--clients %d: at least one is needed", s.Clients)
	case s.Locks < 1:
		return usage("--locks %d: at least one is needed", s.Locks)
	case s.Duration <= 0:
		return usage("--duration %s: must be positive", s.Duration)
	case s.TTL <= 0:
		return usage("--ttl %s: must be positive", s.TTL)
	case s.TTL > trial.LongestTTL:
		return usage("--ttl %s: at most %s", s.TTL, trial.LongestTTL)
	case s.HistoryLimit < 0:
		return usage("--history-limit %d: must not be negative", s.HistoryLimit)
	case s.Repeat < 1:
		return usage("--repeat %d: at least one is needed", s.Repeat)
	}
	if err := s.loadSpec.check(); err != nil {
		return err
	}
	_, err := s.config()
	return err
}
