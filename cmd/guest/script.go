//go:build wasip1 || simulated

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"locktorture/harness"
	"locktorture/scenarios"
	"locktorture/simulate/inside"
)

// playScript plays a case of a scenario instead of a workload.
func playScript(ctx context.Context, o inside.Order, cfg harness.Config) error {
	sc, c, err := caseOf(o)
	if err != nil {
		return err
	}
	var names []string
	for _, n := range cfg.World.Nodes {
		names = append(names, n.Name())
	}
	played, err := scenarios.Play(ctx, sc, c, scenarios.Setup{
		Config: cfg, Cluster: scenarios.Simulate(names, o.Endpoints, ask), Lock: o.Locks[0],
	})
	text, failed := json.Marshal(played)
	ask(inside.AskOf, text)
	return errors.Join(err, failed)
}

// caseOf finds the case of an order.
func caseOf(o inside.Order) (scenarios.Scenario, scenarios.Case, error) {
	for _, n := range scenarios.All() {
		if n.Name != o.Script.Scenario {
			continue
		}
		for _, c := range n.On(o.Backend) {
			if c.Variant == o.Script.Variant {
				return n.Scenario, c, nil
			}
		}
	}
	return scenarios.Scenario{}, scenarios.Case{}, fmt.Errorf("there is no case %q of %s with %s", o.Script.Variant, o.Script.Scenario, o.Backend)
}
