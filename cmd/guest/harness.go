//go:build wasip1 || simulated

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"locktorture/harness"
	"locktorture/locks"
	"locktorture/locks/redis"
	"locktorture/nemesis"
	"locktorture/simulate/inside"
	"locktorture/workloads"
)

// play carries out the order on the first line of in, and writes the history to out. The lines
// after it are messages of the host.
func play(ctx context.Context, in io.Reader, out io.Writer) error {
	lines := bufio.NewReader(in)
	line, err := lines.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("read order: %w", err)
	}
	var o inside.Order
	if err := json.Unmarshal(line, &o); err != nil {
		return fmt.Errorf("read order: %w", err)
	}
	cfg, err := config(o)
	if err != nil {
		return err
	}
	if cfg.Prober != nil {
		defer cfg.Prober.Close()
	}
	rec := newRecord(out)
	cfg.Record, cfg.Now = rec.add, rec.now
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	if o.Script != nil {
		go hear(lines, stop, nil)
		return playScript(ctx, o, cfg)
	}
	d := newDirector(cfg.Clients)
	cfg.Outside, cfg.AtGate = d.direct, d.atGate
	run, err := harness.New(cfg)
	if err != nil {
		return err
	}
	go hear(lines, stop, d.lines)
	return run.Go(ctx, nil)
}

// hear reads what the host says, until its end.
func hear(lines *bufio.Reader, stop context.CancelCauseFunc, faults chan<- inside.Message) {
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var m inside.Message
		switch err := json.Unmarshal(line, &m); {
		case err != nil:
			stop(fmt.Errorf("read message: %w", err))
		case m.End != "":
			stop(harness.Early(m.End))
		default:
			faults <- m
		}
	}
}

// config is the order for the harness.
func config(o inside.Order) (harness.Config, error) {
	l, err := o.Lock()
	if err != nil {
		return harness.Config{}, err
	}
	w, err := o.Work()
	if err != nil {
		return harness.Config{}, err
	}
	cfg := harness.Config{
		Clients: o.Clients, Duration: o.Duration, TTL: o.TTL, Seed: o.Seed,
		Workload: w, Resource: &workloads.Memory{}, Fencing: o.Fencing, Careful: o.Careful, Sections: o.Sections,
		NoStalls:       true, // time passes while all wait, and at no other time
		AcquireTimeout: o.Wait, FreeWithin: o.FreeWithin, Tail: o.Tail, LongestTail: o.LongestTail,
		Traits: l.Traits, World: &nemesis.World{TTL: o.TTL},
		Open: func(ctx context.Context, client, process int) (locks.Locker, error) {
			return startDriver(ctx, o, client, process)
		},
	}
	var nodes []redis.Node
	for _, addr := range o.Endpoints {
		name, _, _ := strings.Cut(addr, ":")
		nodes = append(nodes, redis.Node{Name: name, Addr: addr})
		cfg.World.Nodes = append(cfg.World.Nodes, node(name))
	}
	cfg.Prober, err = prober(o, l, nodes)
	return cfg, err
}

// A node is a server by its name: what strikes it does so outside.
type node string

// Name is its name.
func (n node) Name() string { return string(n) }
