package explore

import (
	"context"
	"errors"
	"fmt"

	"locktorture/simulate"
	"locktorture/simulate/inside"
	"locktorture/simulate/machine"
	"locktorture/simulate/search"
	"locktorture/trial"
	"locktorture/wire/etcd"
)

// Guests holds the programs of a run in virtual time.
type Guests struct {
	Harness *machine.Program
	Clients *machine.Program  // nil: the harness also contains the clients
	Cluster *simulate.Cluster // the servers, if they are guests
}

// Close frees the programs.
func (g Guests) Close() error {
	var errs []error
	all := []*machine.Program{g.Clients, g.Harness}
	if g.Cluster != nil {
		all = append(all, g.Cluster.Program)
	}
	for _, p := range all {
		if p != nil {
			errs = append(errs, p.Close(context.Background()))
		}
	}
	return errors.Join(errs...)
}

// LoadCluster builds the servers of a cluster. The other guests of its runs must be native, too. dir
// is the directory of a module that requires torture; "" is the current one. release is a release of
// the server; "" selects the release that torture requires.
func LoadCluster(ctx context.Context, kind, dir, release string) (*simulate.Cluster, error) {
	k, err := machine.Asked()
	if err == nil && k == machine.Wasm {
		err = fmt.Errorf("%w: servers of %s are native, never in wasm", machine.ErrKind, kind)
	}
	if err != nil {
		return nil, err
	}
	c, of := &simulate.Cluster{Names: etcd.Calls}, machine.Etcd()
	if kind == inside.NATS {
		c, of = &simulate.Cluster{}, machine.NATS()
	}
	c.Program, c.Version, err = machine.LoadServer(ctx, dir, of, release)
	if err != nil {
		return nil, err
	}
	return c, nil
}

// mostWire bounds the recorded traffic of a run in virtual time, in bytes.
const mostWire = 16 << 20

// Play plays a trial as a run with a directory. cfg holds the directory and the rules of the
// verdict. The result is nil if the simulation failed; the outcome then has the error.
func (g Guests) Play(ctx context.Context, cfg trial.Config, t search.Trial) (*trial.Outcome, *simulate.Result, error) {
	cfg.Wire = mostWire
	cfg, act, err := simulate.Trial(cfg, t.Order, g.Harness)
	if err != nil {
		return nil, nil, err
	}
	act.Schedule, act.Driver, act.Cluster = t.Schedule, g.Clients, g.Cluster
	o, err := trial.Run(ctx, cfg)
	if err != nil {
		return nil, nil, err
	}
	return o, act.Result(), nil
}
