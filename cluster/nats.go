package cluster

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// startNATS starts three nats-server whose streams have three replicas, with the default timeouts:
// a new leader is elected 4 to 9 s after the old one has stopped. Each server advertises a
// switchboard of this process to the others.
func startNATS(ctx context.Context, b *builder) error {
	const n = 3
	ports, err := b.reserve(4 * n) // for clients, routes, monitors and switchboards
	if err != nil {
		return err
	}
	clients, routes, monitors, boards := ports[:n], ports[n:2*n], ports[2*n:3*n], ports[3*n:]
	var real, names []string
	for i := range n {
		real, names = append(real, local(routes[i])), append(names, fmt.Sprintf("nats-%d", i+1))
	}
	links, err := b.mesh(real)
	if err != nil {
		return err
	}
	pids := make([]atomic.Int64, n)
	specs := make([]Spec, n)
	for i := range specs {
		var others []string
		for j, port := range boards {
			if j != i {
				others = append(others, "nats://"+local(port))
			}
		}
		specs[i] = Spec{
			Server: "nats", Name: names[i], Ports: []int{clients[i], routes[i], monitors[i]},
			Started: func(pid int) { pids[i].Store(int64(pid)) },
			Args:    []string{"--cluster_name", b.Topology, "--cluster_advertise", local(boards[i]), "--routes", strings.Join(others, ",")},
		}
	}
	open := make(chan struct{})
	close(open) // a server soon retries
	for i, port := range boards {
		if err := b.switchboard(local(port), i, real[i], links, pids, open); err != nil {
			return err
		}
	}
	b.cluster.Quorum, b.cluster.peer = n/2+1, links.oneWay
	if err := b.start(ctx, specs...); err != nil {
		return err
	}
	b.cluster.leader = mostNamed(names, func(ctx context.Context, i int) (string, error) { return natsLeader(ctx, local(monitors[i])) })
	if err := b.awaitStreams(ctx, monitors); err != nil {
		return err
	}
	return b.linkClients()
}

// awaitStreams waits until every server knows the leader that places streams.
func (b *builder) awaitStreams(ctx context.Context, monitors []int) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	for i, port := range monitors {
		err := poll(ctx, 10*time.Millisecond, func() (bool, error) {
			leader, err := natsLeader(ctx, local(port))
			return err == nil && leader != "", nil
		})
		if err != nil {
			return fmt.Errorf("wait until %s knows a leader: %w", b.cluster.Nodes[i].Name(), err)
		}
	}
	return nil
}

// natsLeader asks one server for the leader of the locks' stream or, before that exists, for
// the leader that places streams.
func natsLeader(ctx context.Context, monitor string) (string, error) {
	var v struct {
		Meta struct {
			Leader string `json:"leader"`
		} `json:"meta_cluster"`
		Accounts []struct {
			Streams []struct {
				Cluster struct {
					Leader string `json:"leader"`
				} `json:"cluster"`
			} `json:"stream_detail"`
		} `json:"account_details"`
	}
	if err := askJSON(ctx, http.MethodGet, "http://"+monitor+"/jsz?accounts=true&streams=true", "", &v); err != nil {
		return "", err
	}
	for _, a := range v.Accounts {
		for _, s := range a.Streams {
			return s.Cluster.Leader, nil
		}
	}
	return v.Meta.Leader, nil
}
