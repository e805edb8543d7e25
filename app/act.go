package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"locktorture/cluster"
	"locktorture/cluster/docker"
	"locktorture/harness"
	"locktorture/locks"
	"locktorture/nemesis"
	"locktorture/report"
	"locktorture/timeline"
	"locktorture/trial"
)

// An Act is the act in which the replicas of a program do their own work while faults strike.
type Act struct {
	File *File
	Work trial.Work // only the faults: their seed, duration and kinds
	// Secrets hold the logins to the servers of the user, which a program may print.
	Secrets trial.Secrets

	dir      *trial.Dir
	servers  trial.Servers
	clusters []*cluster.Cluster // in the order of the file's servers
	ports    cluster.Ports
	site     docker.Site               // nil: there are no containers
	served   map[string]docker.Running // services of a compose file
	effects  atomic.Pointer[effects]
}

var _ trial.Act = (*Act)(nil)

// New returns the act of a file. If faults is not nil, it replaces the faults of the file.
func New(f *File, seed uint64, faults []string) *Act {
	wanted, lenient := f.Faults, false
	if wanted == nil {
		wanted, lenient = []string{"pause", "kill", "restart", "partition", "latency"}, true
	}
	if faults != nil {
		wanted, lenient = faults, false
	}
	known := kinds(f)
	return &Act{File: f, Work: trial.Work{Duration: f.Duration, Seed: seed, Faults: trial.Faults{Wanted: wanted, Known: known, Lenient: lenient}}}
}

// Start starts the servers of the file, each with start, and joins them into one cluster.
func (a *Act) Start(start func(s Server, links int) (c *cluster.Cluster, why string, err error)) (*cluster.Cluster, string, error) {
	why := "no servers"
	for i, s := range a.File.Servers {
		c, err := a.adopt(s, a.File.Replicas+1)
		from := "service " + s.Name
		if c == nil && err == nil {
			c, from, err = start(s, a.File.Replicas+1)
		}
		if err != nil {
			for _, c := range a.clusters {
				err = errors.Join(err, c.Close())
			}
			return nil, "", fmt.Errorf("server %s: %w", s.Name, err)
		}
		if a.clusters = append(a.clusters, c); i == 0 {
			why = from
		} else {
			why += "; " + from
		}
	}
	c, err := cluster.Joined(a.clusters...)
	return c, why, err
}

// Lock returns what reports show in place of a lock, and what observes the links of replicas.
func (a *Act) Lock() trial.Lock {
	return trial.Lock{Traits: locks.Traits{Kind: timeline.AppKind}, Tap: a.tap()}
}

// Promises returns the guarantees of the jobs in the file.
func (f *File) Promises() (list []timeline.Job) {
	for _, j := range f.Jobs {
		list = append(list, j.Job)
	}
	return list
}

// Plan implements trial.Act.
func (a *Act) Plan(_ context.Context, s trial.Setting, r *report.Run) error {
	a.dir, a.servers = s.Dir, s.Servers
	text, err := os.ReadFile(a.File.Path)
	if err != nil {
		return err
	}
	if err := s.Dir.WriteText(FileName, string(text)); err != nil {
		return err
	}
	return a.Work.PlanFaults(s, r)
}

// Play implements trial.Act.
func (a *Act) Play(ctx context.Context, cfg harness.Config) (err error) {
	s := newStage(a, cfg.Now)
	defer func() { err = errors.Join(err, s.end(ctx)) }()
	kinds, steps := a.Work.Schedule()
	cfg.Kinds, cfg.Duration, cfg.Seed = kinds, a.File.Duration, a.Work.Seed
	cfg.Rest, cfg.Fencing = s.rest, harness.FencingOff
	for _, r := range s.replicas {
		cfg.Theirs = append(cfg.Theirs, nemesis.Client(r))
	}
	run, err := harness.New(cfg)
	if err != nil {
		return err
	}
	s.book.note, s.fail = run.Note, run.Fail
	e := &effects{stage: s, conns: map[int]*spoken{}}
	a.effects.Store(e)
	defer e.end()
	if err := s.open(ctx); err != nil {
		if ctx.Err() != nil { // interrupted: the history gets its end
			return run.Go(ctx, nil)
		}
		return err
	}
	s.keeping.Go(s.watchAround)
	s.ask()
	s.book.work(true)
	defer s.book.work(false)
	return run.Go(ctx, steps)
}

// Close implements trial.Act.
func (a *Act) Close() error { return a.ports.Close() }

// rest is the phase after the last fault: the load continues for as long as the longest time limit,
// and the requested jobs then have the same time to be done.
func (s *stage) rest(ctx context.Context) {
	longest := s.file.TTL
	for _, j := range s.file.Jobs {
		if j.AgainWithin > 0 {
			longest = max(longest, j.AgainWithin+time.Duration(j.JobSlack()))
		}
	}
	pause(ctx, longest+longest/4+time.Second)
	if s.load != nil {
		s.book.asked("", "", "") // it may ask for nothing more, although it takes its time to end
		if err := s.load.stop(ctx, s.file.Limits.Stop); err != nil {
			s.fail(err)
		}
		pause(ctx, longest)
	}
	s.after(ctx)
	for _, a := range s.asked {
		if err := a.unanswered(); err != nil {
			s.fail(err)
		}
	}
}
