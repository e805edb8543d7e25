package process

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"

	"locktorture/cluster"
)

// consulServer is a Consul server. Ports[0] is for clients (HTTP), Ports[1] for
// other servers, Ports[2] for gossip. It is written in Go, which asks the
// kernel and not libc for the time.
type consulServer struct{}

var (
	_ clockless = consulServer{}
	_ keeper    = consulServer{}
)

func (consulServer) find(look lookup) (string, error) { return look.program("consul") }

func (consulServer) command(_ context.Context, s cluster.Spec, data string) ([]string, error) {
	if len(s.Ports) < 3 {
		return nil, errors.New("consul needs three ports")
	}
	args := []string{
		"agent", "-server", "-node", s.Name, "-data-dir", filepath.Join(data, "consul"),
		"-bind", "127.0.0.1", "-client", "127.0.0.1",
		"-http-port", strconv.Itoa(s.Ports[0]), "-server-port", strconv.Itoa(s.Ports[1]),
		"-serf-lan-port", strconv.Itoa(s.Ports[2]), "-serf-wan-port", "-1",
		"-dns-port", "-1", "-grpc-port", "-1", "-log-level", "warn",
		"-hcl", "disable_update_check = true connect { enabled = false }",
	}
	return append(args, s.Args...), nil
}

// ready waits until the node answers and then, for a while, until it knows a
// leader: it does not as long as too few of its cluster are up, and that is
// not its fault.
func (consulServer) ready(ctx context.Context, spec cluster.Spec) (string, error) {
	var self struct{ Config struct{ Version string } }
	if err := getJSON(ctx, fmt.Sprintf("http://%s/v1/agent/self", addrOf(spec)), &self); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, quorumTime)
	defer cancel()
	for ctx.Err() == nil {
		var leader string
		if err := getJSON(ctx, fmt.Sprintf("http://%s/v1/status/leader", addrOf(spec)), &leader); err == nil && leader != "" {
			break
		}
		pause(ctx, pollTime)
	}
	return "consul " + self.Config.Version, nil
}

func (consulServer) whyNoClock() string {
	return "Consul is a Go program, which asks the kernel for the time, and its sessions run on the monotonic clock"
}

func (consulServer) whyNoWipe() string {
	return "a Consul that has lost its data is another server, and the old one's vote is missed"
}
