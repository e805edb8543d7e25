package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"locktorture/locks"
	"locktorture/locks/driver"
	"locktorture/registry"
	"locktorture/scenarios"
)

// withDrivers adds the locks of other languages to the scenarios that apply to them.
func withDrivers(list []namedScenario) []namedScenario {
	for i, n := range list {
		list[i].Cases = append(slices.Clip(n.Cases), scenarios.OfDrivers(n.Name)...)
	}
	return list
}

// learned is the backend of a play; a driver is asked what it declares.
func (p play) learned(ctx context.Context, b backend, servers *pooled) (backend, error) {
	if b.Driver == nil {
		return b, nil
	}
	b.Driver = b.Driver.With(p.Case.Options)
	b, err := b.Learn(ctx, servers.Cluster, p.TimeToLive())
	if err != nil {
		return b, broken(err)
	}
	return b, nil
}

// driverOpener opens each client of a play in a driver.
func driverOpener(p play, d *registry.Driver, servers *pooled, dir *runDir) func(ctx context.Context, client, process int) (locks.Locker, error) {
	return func(ctx context.Context, client, process int) (locks.Locker, error) {
		c, err := d.Start(ctx, driver.Open{
			Backend: p.Case.Backend, Endpoints: servers.Endpoints(client), TTL: p.TimeToLive(), Client: client, Process: process,
		}, dir.stderr(client), nil)
		if err != nil {
			return nil, err // not the nil client
		}
		return c, nil
	}
}

// served leaves out the drivers whose runtimes are not here, and says which.
func served(plays []play, w io.Writer) ([]play, error) {
	known := backends()
	missing := map[string]bool{}
	kept := slices.DeleteFunc(plays, func(p play) bool {
		_, ok := known[p.Case.Backend]
		if !ok {
			missing[p.Case.Backend] = true
		}
		return !ok
	})
	names := strings.Join(slices.Sorted(maps.Keys(missing)), ", ")
	switch {
	case len(kept) == 0:
		return nil, usage("the runtime of %s is not installed; run: make servers", names)
	case names != "":
		fmt.Fprintf(w, "left out, as their runtimes are not installed: %s\n", names)
	}
	return kept, nil
}
