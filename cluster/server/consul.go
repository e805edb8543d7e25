package server

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strconv"

	"locktorture/cluster"
)

// Consul is a Consul server. Ports[0] is for clients (HTTP), Ports[1] for other servers, Ports[2]
// for gossip. It is written in Go, whose programs read the time from the kernel and not from libc.
type Consul struct{}

var (
	_ Clockless = Consul{}
	_ Keeper    = Consul{}
)

// Args returns its arguments.
func (Consul) Args(s cluster.Spec, data string) ([]string, error) {
	if len(s.Ports) < 3 {
		return nil, errors.New("consul needs three ports")
	}
	args := []string{
		"agent", "-server", "-node", s.Name, "-data-dir", path.Join(data, "consul"),
		"-bind", "127.0.0.1", "-client", "127.0.0.1",
		"-http-port", strconv.Itoa(s.Ports[0]), "-server-port", strconv.Itoa(s.Ports[1]),
		"-serf-lan-port", strconv.Itoa(s.Ports[2]), "-serf-wan-port", "-1",
		"-dns-port", "-1", "-grpc-port", "-1", "-log-level", "warn",
		"-hcl", "disable_update_check = true connect { enabled = false }",
	}
	return append(args, s.Args...), nil
}

// Ready waits until the node answers, and then for a limited time until it knows a leader. While
// too few servers of its cluster are up, no node knows one.
func (Consul) Ready(ctx context.Context, s cluster.Spec) (string, error) {
	var self struct{ Config struct{ Version string } }
	if err := getJSON(ctx, fmt.Sprintf("http://%s/v1/agent/self", Addr(s)), &self); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, quorumTime)
	defer cancel()
	for ctx.Err() == nil {
		var leader string
		if err := getJSON(ctx, fmt.Sprintf("http://%s/v1/status/leader", Addr(s)), &leader); err == nil && leader != "" {
			break
		}
		pause(ctx, pollTime)
	}
	return "consul " + self.Config.Version, nil
}

// WhyNoClock implements Clockless: Consul reads the time from the kernel.
func (Consul) WhyNoClock() string {
	return "Consul is a Go program, which asks the kernel for the time, and its sessions run on the monotonic clock"
}

// WhyNoWipe implements Keeper: without its data a Consul becomes another server.
func (Consul) WhyNoWipe() string {
	return "a Consul that has lost its data is another server, and the old one's vote is missed"
}
