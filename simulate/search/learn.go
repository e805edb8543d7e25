package search

import (
	"context"
	"fmt"

	"locktorture/history"
	"locktorture/simulate"
	"locktorture/simulate/inside"
	"locktorture/trial"
	"locktorture/wire/owner"
)

// Learn finds out, in a world without faults, by which key the servers of a lock record the
// holder. It returns nil and a reason if it finds no such key.
func (a *Arena) Learn(ctx context.Context, o inside.Order) (*owner.Look, string, error) {
	if o.Cluster() != "" {
		return nil, "torture finds the key of a lock only on Redis", nil
	}
	l := owner.NewLearner(len(a.servers))
	if o.Fencing == "" {
		o.Fencing = trial.UsualFencing(a.lock.Traits)
	}
	_, err := simulate.Run(ctx, simulate.Config{
		Order: o, Program: a.program, Driver: a.Driver, Servers: a.servers, Processor: a.Processor,
		Served: func(client, node int, request []byte, run func(string) ([]byte, error)) error {
			contents, err := run(owner.Contents)
			if err != nil {
				return err
			}
			return l.Served(client, node, request, contents)
		},
		Record: func(op history.Op) error {
			l.Recorded(op)
			return nil
		},
	})
	if err != nil {
		return nil, "", fmt.Errorf("%w\nseed %d, without faults", err, o.Seed)
	}
	look, why := l.Look()
	return look, why, nil
}
