package server

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strconv"

	"locktorture/cluster"
)

// NATS is nats-server with JetStream, whose streams are files. Ports[0] is for clients, Ports[1]
// for the routes between servers, Ports[2] for requests for its state over HTTP.
type NATS struct{}

var (
	_ Clockless = NATS{}
	_ Keeper    = NATS{}
)

// Args returns its arguments.
func (NATS) Args(s cluster.Spec, data string) ([]string, error) {
	if len(s.Ports) < 3 {
		return nil, errors.New("nats-server needs three ports")
	}
	args := []string{
		"--name", s.Name, "--addr", "127.0.0.1", "--port", strconv.Itoa(s.Ports[0]), "--http_port", strconv.Itoa(s.Ports[2]),
		"--jetstream", "--store_dir", path.Join(data, "jetstream"),
		"--cluster", fmt.Sprintf("nats://127.0.0.1:%d", s.Ports[1]), "--no_advertise",
	}
	return append(args, s.Args...), nil
}

// Ready waits until the node serves clients, and then for a limited time until its streams have a
// leader. While too few servers of its cluster are up, they have none.
func (NATS) Ready(ctx context.Context, s cluster.Spec) (string, error) {
	var v struct{ Version string }
	monitor := fmt.Sprintf("http://127.0.0.1:%d", s.Ports[2])
	if err := getJSON(ctx, monitor+"/varz", &v); err != nil {
		return "", err
	}
	if err := listens(ctx, Addr(s)); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, quorumTime)
	defer cancel()
	for streams(ctx, monitor) != nil && ctx.Err() == nil {
		pause(ctx, pollTime)
	}
	return "nats-server " + v.Version, nil
}

// streams returns nil if all streams of a node have a leader and are in sync with the other nodes.
func streams(ctx context.Context, monitor string) error {
	var h struct{ Status string }
	if err := getJSON(ctx, monitor+"/healthz", &h); err != nil {
		return err
	}
	if h.Status != "ok" {
		return errors.New(h.Status)
	}
	return nil
}

// WhyNoClock implements Clockless: nats-server reads the time from the kernel.
func (NATS) WhyNoClock() string { return inGo }

// WhyNoWipe implements Keeper: the other servers rely on the votes in a server's log.
func (NATS) WhyNoWipe() string {
	return "a server that has lost its log forgets its votes, and the other servers rely on these votes"
}
