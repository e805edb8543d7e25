package server

import (
	"context"
	"net/http"
	"path"
	"strconv"

	"locktorture/cluster"
)

// Dynalite is dynalite, an emulator of DynamoDB's API on LevelDB. Unlike DynamoDB it is one Node
// process without replicas, and verifies no signatures.
type Dynalite struct{}

var _ Clockless = Dynalite{}

// Args returns its arguments.
func (Dynalite) Args(s cluster.Spec, data string) []string {
	return append([]string{
		"--host", "127.0.0.1", "--port", strconv.Itoa(s.Ports[0]), "--path", path.Join(data, "tables"), "--createTableMs", "0",
	}, s.Args...)
}

// Ready requests its root page.
func (Dynalite) Ready(ctx context.Context, s cluster.Spec) (string, error) {
	return "dynalite", answers(ctx, Addr(s), http.StatusOK)
}

// WhyNoClock implements Clockless: no lease depends on the clock of dynalite.
func (Dynalite) WhyNoClock() string { return "dynalite ends no lock: its clients time the leases" }
