package play

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"locktorture/harness"
	"locktorture/registry/onredis"
	"locktorture/report"
	"locktorture/scenarios"
	"locktorture/simulate"
	"locktorture/simulate/inside"
	"locktorture/simulate/server"
	"locktorture/trial"
)

// ErrNotVirtual is wrapped by the reason why a case cannot be played in virtual time.
var ErrNotVirtual = errors.New("not simulated")

// Virtual returns nil, or the reason why a case cannot be played in virtual time.
func Virtual(c scenarios.Case) error {
	switch {
	case c.Replicated:
		return fmt.Errorf("%w: replicas and fail-overs", ErrNotVirtual)
	case c.Topology != "":
		return fmt.Errorf("%w: the servers %s", ErrNotVirtual, c.Topology)
	}
	if _, ok := inside.Locks()[c.Backend]; !ok {
		return fmt.Errorf("%w: %s", ErrNotVirtual, c.Backend)
	}
	if _, err := (inside.Order{Backend: c.Backend, Options: c.Options}).Lock(); err != nil {
		return fmt.Errorf("%w: %w", ErrNotVirtual, err)
	}
	return nil
}

// order returns the order of a play in virtual time. Each play of a case has another seed.
func (p *Player) order(c Play) inside.Order {
	p.seeds[c.Name+" "+c.Case.Name()]++
	lock := inside.Locks()[c.Case.Backend]
	options := map[string]string{}
	maps.Copy(options, c.Case.Options)
	for name, value := range scriptOptions(c.Case) {
		if slices.Contains(lock.Options, name) {
			options[name] = value
		}
	}
	o := inside.Order{
		Backend: c.Case.Backend, Options: options, Workload: "counter", Locks: []string{c.Name},
		Clients: c.Parties(), TTL: c.TimeToLive(), Fencing: harness.FencingOff,
		Seed:   p.seeds[c.Name+" "+c.Case.Name()],
		Script: &inside.Script{Scenario: c.Name, Variant: c.Case.Variant},
	}
	if c.Case.Fenced {
		o.Fencing = harness.FencingOn
	}
	return o
}

// virtual changes the trial of a play to virtual time.
func (p *Player) virtual(ctx context.Context, c Play, cfg trial.Config, script *scenarios.Script) (trial.Config, error) {
	o := p.order(c)
	cfg, act, err := simulate.Trial(cfg, o, p.Program)
	if err != nil {
		return cfg, err
	}
	if act.Servers, err = p.servers(ctx, inside.Locks()[o.Backend]); err != nil {
		return cfg, err
	}
	cfg.Act, cfg.Wire = virtualScript{act, script}, 0
	return cfg, nil
}

// stepped returns servers that continue from one play to the next.
func (p *Player) servers(ctx context.Context, l onredis.Lock) ([]server.Server, error) {
	kind := stepped{l.Nodes, l.Pushes} // without redis-server, some locks have none
	if p.stepped[kind] == nil {
		all, _, err := server.Start(ctx, l.Nodes, l.Pushes)
		if err != nil {
			return nil, err
		}
		p.stepped[kind] = all
	}
	return p.stepped[kind], nil
}

// A stepped is a kind of servers for plays in virtual time.
type stepped struct {
	nodes  int
	pushes bool
}

// A virtualScript is the act of a script in virtual time.
type virtualScript struct {
	*simulate.Act
	script *scenarios.Script
}

// Plan sets the rules by which the play is judged.
func (v virtualScript) Plan(ctx context.Context, on trial.Setting, r *report.Run) error {
	if err := v.script.Plan(ctx, on, r); err != nil {
		return err
	}
	return v.Act.Plan(ctx, on, r)
}

// Play plays the case.
func (v virtualScript) Play(ctx context.Context, cfg harness.Config) error {
	cfg.FreeWithin, cfg.Tail, cfg.LongestTail = v.script.Free, 0, 0 // a script has no tail
	if err := v.Act.Play(ctx, cfg); err != nil {
		return err
	}
	return json.Unmarshal([]byte(v.Act.Result().Played), &v.script.Played)
}
