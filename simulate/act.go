package simulate

import (
	"cmp"
	"context"
	"io"
	"slices"
	"sync/atomic"

	"locktorture/cluster"
	"locktorture/harness"
	"locktorture/history"
	"locktorture/nemesis"
	"locktorture/nemesis/points/faults"
	"locktorture/nemesis/points/schedule"
	"locktorture/registry/onredis"
	"locktorture/report"
	"locktorture/simulate/inside"
	"locktorture/simulate/machine"
	"locktorture/simulate/server"
	"locktorture/trial"
)

// Names of the files that only the directory of a simulated run has.
const (
	ScheduleFile = "schedule.txt" // the decisions, in the syntax of package schedule
	SumFile      = "events.sum"   // Result.Sum
)

// Name is the name of virtual time as the place of a run in a report.
const Name = report.Simulated

// An Act plays the run of an order in virtual time, for package trial.
type Act struct {
	Schedule schedule.Schedule // the planned faults; set before the trial runs
	Trace    io.Writer         // see Config.Trace
	// Servers, if set before the trial runs, are used for the run and left running. nil: the run
	// starts and stops servers of its own.
	Servers []server.Server
	Driver  *machine.Program // see Config.Driver; set before the trial runs
	Cluster *Cluster         // see Config.Cluster; set before the trial runs

	order   inside.Order
	program *machine.Program
	servers []server.Server
	nodes   []string // names of the servers
	dir     *trial.Dir
	clock   atomic.Int64
	taps    func(line int) cluster.Tap
	result  *Result
}

var (
	_ trial.Act   = (*Act)(nil)
	_ trial.Lines = (*Act)(nil)
)

// Trial makes a trial of an order. The fields of cfg that the order does not determine come from
// the caller: the run directory, the checks, the observers. TTL, clients and seed come from the
// order.
func Trial(cfg trial.Config, o inside.Order, p *machine.Program) (trial.Config, *Act, error) {
	l, err := o.Lock()
	if err != nil {
		return cfg, nil, err
	}
	if _, err := o.Work(); err != nil {
		return cfg, nil, err
	}
	a := &Act{order: o, program: p}
	cfg.Act, cfg.Clients, cfg.TTL, cfg.Clock = a, o.Clients, o.TTL, a.clock.Load
	cfg.Start = func(ctx context.Context, _ *trial.Dir) (trial.Servers, error) { return a.start(ctx, l) }
	cfg.Meet = func(context.Context, trial.Servers, *trial.Dir) (trial.Lock, error) {
		return trial.Lock{Traits: l.Traits, Retry: l.Retry, Names: o.Names()}, nil
	}
	return cfg, a, nil
}

// start starts the servers. They have no network address: only the simulated clients reach them.
func (a *Act) start(ctx context.Context, l onredis.Lock) (trial.Servers, error) {
	why, end := "", func() error { return nil }
	if a.Cluster != nil {
		for n := range l.Nodes {
			a.nodes = append(a.nodes, inside.ServerName(a.order.Cluster(), n+1))
		}
		return a.meet(a.order.Cluster()+"-3", "guests: "+a.order.Cluster()+" "+a.Cluster.Version, end), nil
	}
	if a.servers = a.Servers; a.servers == nil {
		all, chosen, err := server.Start(ctx, l.Nodes, l.Pushes)
		if err != nil {
			return trial.Servers{}, err
		}
		a.servers, why, end = all, chosen, func() error { return server.CloseAll(all) }
	}
	for i := range a.servers {
		a.nodes = append(a.nodes, redisName(i+1))
	}
	topology := "redis"
	if l.Nodes > 1 {
		topology = "redis-5"
	}
	return a.meet(topology, why, end), nil
}

func (a *Act) meet(topology, why string, end func() error) trial.Servers {
	c := cluster.Bare(topology, nil, end)
	c.Provisioner = Name
	return trial.Servers{Cluster: c, Why: why, Lines: a, Leave: func(bool) error { return c.Close() }}
}

// Plan completes run.json with the seed, the options and the kinds of faults of the order.
func (a *Act) Plan(_ context.Context, s trial.Setting, r *report.Run) error {
	a.order.Fencing = cmp.Or(a.order.Fencing, trial.UsualFencing(s.Lock.Traits))
	r.Seed, r.Duration, r.Fencing, r.Careful = a.order.Seed, a.order.Duration, a.order.Fencing, a.order.Careful
	var steps []nemesis.Step
	for i, d := range a.Schedule {
		steps = append(steps, faults.Step(d, i+1))
		if kind := steps[i].Fault; !slices.Contains(r.Nemeses, kind) {
			r.Nemeses = append(r.Nemeses, kind)
		}
	}
	r.Options.Nemeses = r.Nemeses
	r.Options.FreeWithin += trial.FarthestClock(s.Lock.Traits, steps, 0)
	r.Versions = append(r.Versions, report.Version{Name: "guest", Version: a.program.Sum()})
	if a.Driver != nil {
		r.Versions = append(r.Versions, report.Version{Name: "driver", Version: a.Driver.Sum()})
	}
	for i, name := range a.nodes {
		version := ""
		if a.Cluster != nil {
			version = a.order.Cluster() + " " + a.Cluster.Version
		} else {
			version = a.servers[i].Version()
		}
		r.Nodes = append(r.Nodes, name)
		r.Versions = append(r.Versions, report.Version{Name: name, Version: version})
	}
	a.dir = s.Dir
	if a.order.Script != nil {
		return nil // a script has no schedule
	}
	return a.write()
}

// write writes the schedule into the run directory.
func (a *Act) write() error {
	return a.dir.WriteText(ScheduleFile, a.Schedule.String())
}

// Play carries out the run. Its result is then available from Result.
func (a *Act) Play(ctx context.Context, cfg harness.Config) (err error) {
	o := a.order
	o.FreeWithin, o.Tail, o.LongestTail = cfg.FreeWithin, cfg.Tail, cfg.LongestTail
	a.result, err = Run(ctx, Config{
		Order: o, Program: a.program, Driver: a.Driver, Servers: a.servers, Cluster: a.Cluster, Schedule: a.Schedule, Trace: a.Trace,
		Tap: a.tapOf(), Clock: a.clock.Store,
		Record: func(op history.Op) error {
			a.clock.Store(op.Time)
			_, err := cfg.Record(op)
			return err
		},
	})
	if err != nil {
		return err
	}
	return a.sum()
}

// Lines implements trial.Lines. It returns one line from each client to each server.
func (a *Act) Lines() (list []trial.Line) {
	for client := range a.order.Clients {
		for _, name := range a.nodes {
			list = append(list, trial.Line{Client: client + 1, To: name})
		}
	}
	return list
}

// Tap implements trial.Lines. It is called before the run and after it.
func (a *Act) Tap(on func(line int) cluster.Tap) { a.taps = on }

// tapOf returns the tap for the line between a client and a server; nil if no tap is set.
func (a *Act) tapOf() func(client, node int) cluster.Tap {
	on := a.taps
	if on == nil {
		return nil
	}
	return func(client, node int) cluster.Tap { return on((client-1)*len(a.nodes) + node - 1) }
}

// sum writes the checksum of all events into the run directory.
func (a *Act) sum() error {
	return a.dir.WriteText(SumFile, a.result.Sum()+"\n")
}

// Result returns the result of Play; nil before.
func (a *Act) Result() *Result { return a.result }

// Close does nothing, because the trial closes its servers.
func (a *Act) Close() error { return nil }
