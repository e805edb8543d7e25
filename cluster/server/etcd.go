package server

import (
	"context"
	"errors"
	"fmt"
	"path"
	"time"

	"locktorture/cluster"
)

// Etcd is etcd, version 3.5 or later, because earlier versions give other guarantees. Ports[0] is
// for clients, Ports[1] for its peers. It is written in Go, whose programs read the time from the
// kernel and not from libc.
type Etcd struct{}

var (
	_ Clockless = Etcd{}
	_ Keeper    = Etcd{}
)

// Args returns its arguments.
func (Etcd) Args(s cluster.Spec, data string) ([]string, error) {
	if len(s.Ports) < 2 {
		return nil, errors.New("etcd needs two ports")
	}
	client, peer := "http://"+Addr(s), fmt.Sprintf("http://127.0.0.1:%d", s.Ports[1])
	args := []string{
		"--name", s.Name, "--data-dir", path.Join(data, "etcd"),
		"--listen-client-urls", client, "--advertise-client-urls", client,
		"--listen-peer-urls", peer, "--log-level", "warn",
	}
	return append(args, s.Args...), nil
}

// Ready waits until the node serves its peers, and then for a limited time until it serves clients.
// While too few members of its cluster are up, no node serves clients.
func (Etcd) Ready(ctx context.Context, s cluster.Spec) (string, error) {
	var v struct {
		Server string `json:"etcdserver"`
	}
	if err := getJSON(ctx, fmt.Sprintf("http://127.0.0.1:%d/version", s.Ports[1]), &v); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, quorumTime)
	defer cancel()
	for !healthy(ctx, s) && ctx.Err() == nil {
		pause(ctx, pollTime)
	}
	return "etcd " + v.Server, nil
}

// healthy reports whether the node has a leader and answers clients.
func healthy(ctx context.Context, s cluster.Spec) bool {
	ctx, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
	defer cancel()
	var h struct {
		Health string `json:"health"`
	}
	return getJSON(ctx, "http://"+Addr(s)+"/health", &h) == nil && h.Health == "true"
}

// WhyNoClock implements Clockless: etcd reads the time from the kernel.
func (Etcd) WhyNoClock() string {
	return "etcd is a Go program, which asks the kernel for the time, and its leases run on the monotonic clock"
}

// WhyNoWipe implements Keeper: a cluster rejects a member that has lost its data.
func (Etcd) WhyNoWipe() string {
	return "an etcd that has lost its data is not let back into its cluster"
}
