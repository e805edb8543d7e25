// Package drivertest checks that a driver keeps the protocol and its lock the
// contract, and measures what the driver's process costs.
package drivertest

import (
	"context"
	"time"

	"locktorture/cluster"
	"locktorture/locks/driver"
	"locktorture/registry"
)

// Clients is the number of clients for which the servers need links.
const Clients = 8

// A Subject is a driver and its servers, ready to be checked or measured.
type Subject struct {
	Name    string           // of the backend, for the driver
	Backend registry.Backend // whose driver was asked what it declares
	Cluster *cluster.Cluster // with links for Clients
	TTL     time.Duration
}

// open starts the driver of a client, whose process number is that of the client.
func (b Subject) open(ctx context.Context, client int, t *talk) (*driver.Client, error) {
	return b.Backend.Driver.Start(ctx, driver.Open{
		Backend: b.Name, Endpoints: b.Cluster.Endpoints(client), TTL: b.TTL, Client: client, Process: client,
	}, nil, t.of(client))
}
