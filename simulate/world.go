package simulate

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"locktorture/harness"
	"locktorture/history"
	"locktorture/registry/onredis"
	"locktorture/simulate/inside"
	"locktorture/simulate/machine"
)

// A world is one simulated run.
type world struct {
	cfg  Config
	ctx  context.Context
	lock onredis.Lock

	clock *clock
	sum   sum

	harness *process
	serving bool // the harness was started
	all     []*process
	drivers map[int]*process // client → its latest driver
	servers servers
	net     network
	plan    plan

	lines   *history.LineParser
	res     Result
	stopped bool
	err     error
}

// Run plays a run. When ctx ends, the harness ends the run in order, as it does in real time.
func Run(ctx context.Context, cfg Config) (*Result, error) {
	if cfg.Program.Kind() == machine.Native {
		defer settle(cfg.Processor)()
	}
	w, err := newWorld(ctx, cfg)
	if err != nil {
		return nil, err
	}
	defer w.close()
	if err := w.begin(); err != nil {
		return nil, err
	}
	for w.err == nil && !w.harness.proc.Done() {
		if err := w.clock.next(); err != nil {
			w.fail("%w", err)
			break
		}
		w.heed()
	}
	if w.err == nil {
		w.err = w.failed()
	}
	if w.err != nil {
		return nil, fmt.Errorf("simulation, after %v: %w", time.Duration(w.clock.now), w.err)
	}
	w.count()
	return &w.res, nil
}

func newWorld(ctx context.Context, cfg Config) (*world, error) {
	l, err := cfg.Order.Lock()
	if err != nil {
		return nil, err
	}
	if _, err := cfg.Order.Work(); err != nil {
		return nil, err
	}
	if cfg.Cluster == nil && len(cfg.Servers) != l.Nodes {
		return nil, fmt.Errorf("%s needs %d servers, there are %d", cfg.Order.Backend, l.Nodes, len(cfg.Servers))
	}
	w := &world{cfg: cfg, ctx: ctx, lock: l, lines: history.NewLineParser(), drivers: map[int]*process{}, plan: newPlan(), clock: &clock{heard: cfg.Clock}}
	w.sum, w.servers.w, w.net = newSum(w.clock, cfg.Trace), w, network{w: w, links: map[[2]int]*link{}}
	w.cfg.Order.Endpoints = nil
	if cfg.Cluster != nil {
		err = w.servers.found(l.Nodes)
	}
	for i, s := range cfg.Servers {
		if err := s.Reset(); err != nil {
			return nil, err
		}
		w.servers.all = append(w.servers.all, newNode(w, i+1, s))
		w.cfg.Order.Endpoints = append(w.cfg.Order.Endpoints, inside.ServerAddr(inside.Redis, i+1))
	}
	if err == nil {
		err = w.prepare()
	}
	if err != nil {
		w.close()
		return nil, err
	}
	return w, nil
}

// begin starts the harness, which starts everything else.
func (w *world) begin() error {
	order, err := json.Marshal(w.cfg.Order)
	if err != nil {
		return err
	}
	if w.harness, err = w.start("harness", 0, -1); err != nil {
		return err
	}
	w.hush()
	w.harness.proc.File(0).Deliver(append(order, '\n'))
	if w.cfg.Cluster != nil {
		return w.servers.open()
	}
	w.serve()
	if w.servers.ticking = w.lock.Pushes; w.servers.ticking {
		w.clock.after(cronEvery, w.servers.tick)
	}
	return nil
}

// serve starts the harness, once.
func (w *world) serve() {
	if !w.serving {
		w.serving, w.clock.opened = true, w.clock.now
		w.clock.after(0, w.harness.kick)
	}
}

// heed sends the harness the request to end the run early when ctx has ended.
func (w *world) heed() {
	if w.stopped || w.ctx.Err() == nil {
		return
	}
	w.stopped = true
	w.serve() // the harness ends the run, even if its servers do not serve yet
	var why harness.Early
	errors.As(context.Cause(w.ctx), &why)
	w.tell(inside.Message{End: cmp.Or(string(why), history.Interrupted)})
}

// record parses an entry that the harness printed and passes it on.
func (w *world) record(line []byte) {
	w.sum.note("op", 0, line)
	op, err := w.lines.Parse(line)
	if op.F == history.Fault && op.Type == history.Fail && op.Fault <= len(w.plan.blows) {
		w.plan.blows[op.Fault-1].foundNobody(op.Error)
	}
	if err == nil && w.cfg.Record != nil {
		err = w.cfg.Record(op)
	}
	if err != nil {
		w.fail("record: %w", err)
	}
}

// fail ends the run with an error of the simulation or its harness.
func (w *world) fail(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf(format, args...)
	}
}

// count sums up the counters of the result.
func (w *world) count() {
	for _, p := range w.all {
		w.res.Steps += p.proc.Stats.Steps
		w.res.Calls += p.proc.Stats.Calls
	}
	w.res.Points = w.plan.points
	w.res.Hash, w.res.Events, w.res.Virtual = w.sum.hash, w.clock.passed, time.Duration(w.clock.time())
}

// close kills the remaining processes.
func (w *world) close() {
	for _, p := range w.all {
		_ = p.proc.Close(w.ctx)
	}
	if w.servers.dir != "" {
		_ = os.RemoveAll(w.servers.dir)
	}
}
