package simulate

import (
	"cmp"
	"context"
	"sync/atomic"

	"locktorture/cluster"
	"locktorture/harness"
	"locktorture/history"
	"locktorture/report"
	"locktorture/simulate/inside"
	"locktorture/simulate/machine"
	"locktorture/simulate/server"
	"locktorture/trial"
)

// Name is what the place of a simulated run is called in its report.
const Name = "simulated"

// An Act is the run of an order in virtual time, as package trial plays it.
type Act struct {
	order   inside.Order
	program *machine.Program
	servers []server.Server
	clock   atomic.Int64
	result  *Result
}

var _ trial.Act = (*Act)(nil)

// Trial makes a trial of an order. cfg has what is not in it: where the run is written, how it is judged, who
// watches. TTL, clients and seed are those of the order.
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
		return trial.Lock{Traits: l.Traits, Retry: l.Retry}, nil
	}
	return cfg, a, nil
}

// start starts the servers. They have no address in the world outside.
func (a *Act) start(ctx context.Context, l inside.Lock) (trial.Servers, error) {
	all, why, err := server.Start(ctx, l.Nodes, l.Pushes)
	if err != nil {
		return trial.Servers{}, err
	}
	a.servers = all
	topology := "redis"
	if l.Nodes > 1 {
		topology = "redis-5"
	}
	c := cluster.Bare(topology, nil, func() error { return server.CloseAll(all) })
	c.Provisioner = Name
	return trial.Servers{Cluster: c, Why: why, Leave: func(bool) error { return c.Close() }}, nil
}

// Plan completes run.json.
func (a *Act) Plan(_ context.Context, s trial.Setting, r *report.Run) error {
	a.order.Fencing = cmp.Or(a.order.Fencing, trial.UsualFencing(s.Lock.Traits))
	r.Seed, r.Duration, r.Fencing, r.Careful = a.order.Seed, a.order.Duration, a.order.Fencing, a.order.Careful
	for i, srv := range a.servers {
		name := newNode(i+1, srv).name
		r.Nodes = append(r.Nodes, name)
		r.Versions = append(r.Versions, report.Version{Name: name, Version: srv.Version()})
	}
	return nil
}

// Play plays it.
func (a *Act) Play(ctx context.Context, cfg harness.Config) (err error) {
	o := a.order
	o.FreeWithin, o.Tail, o.LongestTail = cfg.FreeWithin, cfg.Tail, cfg.LongestTail
	a.result, err = Run(ctx, Config{
		Order: o, Program: a.program, Servers: a.servers,
		Record: func(op history.Op) error {
			a.clock.Store(op.Time)
			_, err := cfg.Record(op)
			return err
		},
	})
	return err
}

// Result is what the run came to; nil before.
func (a *Act) Result() *Result { return a.result }

// Close does nothing: the trial's servers are closed by it.
func (a *Act) Close() error { return nil }
