// Package drivertest checks that a driver keeps the protocol and its lock the
// contract, and measures what the driver's process costs.
package drivertest

import (
	"context"
	"errors"
	"os"
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
	dir     string // of the servers
}

// Open starts the servers of a driver and asks it what it declares. Its error is a
// NotServedError if nothing here can serve it. The subject must be closed.
func Open(ctx context.Context, servers registry.Servers, name string, b registry.Backend, ttl time.Duration) (*Subject, error) {
	dir, err := os.MkdirTemp("", "torture-driver-")
	if err != nil {
		return nil, err
	}
	s := &Subject{Name: name, Backend: b, TTL: ttl, dir: dir}
	if s.Cluster, _, err = servers.Start(ctx, b, cluster.Config{Topology: b.Topology, Clients: Clients, Dir: dir}); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if s.Backend, err = b.Learn(ctx, s.Cluster, ttl); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Close ends the servers.
func (b *Subject) Close() error { return errors.Join(b.Cluster.Close(), os.RemoveAll(b.dir)) }

// open starts the driver of a client. The process number equals the client number.
func (b Subject) open(ctx context.Context, client int, t *talk) (*driver.Client, error) {
	return b.Backend.Driver.Start(ctx, driver.Open{
		Backend: b.Name, Endpoints: b.Cluster.Endpoints(client), TTL: b.TTL, Client: client, Process: client,
	}, nil, t.of(client))
}
