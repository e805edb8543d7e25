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

// play carries out the order on the first line of in, and writes the history to out. A line
// after it ends the run early, in order, and is the reason.
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
	run, err := harness.New(cfg)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	go func() {
		if why, err := lines.ReadString('\n'); err == nil {
			stop(harness.Early(strings.TrimSpace(why)))
		}
	}()
	return run.Go(ctx, nil)
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
		AcquireTimeout: o.Wait, FreeWithin: o.FreeWithin, Tail: o.Tail, LongestTail: o.LongestTail,
		Traits: l.Traits, World: &nemesis.World{TTL: o.TTL},
		Open: func(ctx context.Context, client, process int) (locks.Locker, error) {
			return startDriver(ctx, o, client, process)
		},
	}
	if l.Probe != nil {
		var nodes []redis.Node
		for _, addr := range o.Endpoints {
			name, _, _ := strings.Cut(addr, ":")
			nodes = append(nodes, redis.Node{Name: name, Addr: addr})
		}
		cfg.Prober = l.Probe(nodes, 0)
	}
	return cfg, nil
}
