package cluster

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// startEtcd starts three members of etcd. Each advertises one address to its peers, which is a
// switchboard of this process.
func startEtcd(ctx context.Context, b *builder) error {
	const n = 3
	ports, err := b.reserve(3 * n) // for clients, peers and switchboards
	if err != nil {
		return err
	}
	clients, peers, boards := ports[:n], ports[n:2*n], ports[2*n:]
	var real, names []string
	for i := range n {
		real = append(real, local(peers[i]))
		names = append(names, fmt.Sprintf("etcd-%d=http://%s", i+1, local(boards[i])))
	}
	links, err := b.mesh(real)
	if err != nil {
		return err
	}
	pids := make([]atomic.Int64, n)
	specs := make([]Spec, n)
	for i := range specs {
		specs[i] = Spec{
			Server: "etcd", Name: fmt.Sprintf("etcd-%d", i+1), Ports: []int{clients[i], peers[i]},
			Started: func(pid int) { pids[i].Store(int64(pid)) },
			Args: []string{
				"--initial-advertise-peer-urls", "http://" + local(boards[i]),
				"--initial-cluster", strings.Join(names, ","), "--initial-cluster-token", b.Topology,
				"--heartbeat-interval", "50", "--election-timeout", "500", "--unsafe-no-fsync",
			},
			Readmit: func(ctx context.Context) error {
				return readmitEtcd(ctx, b.cluster.Nodes, i, "http://"+local(boards[i]))
			},
			Rejoins: []string{"--initial-cluster-state", "existing"},
		}
	}
	open := make(chan struct{})
	for i, port := range boards {
		if err := b.switchboard(local(port), i, real[i], links, pids, open); err != nil {
			return err
		}
	}
	b.cluster.Quorum, b.cluster.peer = n/2+1, links.oneWay
	if err := b.startTogether(ctx, specs, real, open); err != nil {
		return err
	}
	b.cluster.leader = highest(b.cluster.Nodes, etcdRole)
	return b.linkClients()
}

// startTogether starts servers and opens the links between them when all of them serve their peers.
// A server that reached a peer which is still starting would wait two seconds before its next
// attempt.
func (b *builder) startTogether(ctx context.Context, specs []Spec, peers []string, open chan struct{}) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return b.start(ctx, specs...) })
	g.Go(func() error {
		defer close(open)
		ctx, cancel := context.WithTimeout(ctx, startTime)
		defer cancel()
		for _, addr := range peers {
			if err := poll(ctx, 10*time.Millisecond, func() (bool, error) { return servesPeers(ctx, addr), nil }); err != nil {
				return fmt.Errorf("wait for %s to serve its peers: %w", addr, err)
			}
		}
		return nil
	})
	return g.Wait()
}

// servesPeers reports whether an etcd is ready for its peers at an address.
func servesPeers(ctx context.Context, addr string) bool {
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/version", nil)
	if err != nil {
		return false
	}
	req.Close = true
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}
