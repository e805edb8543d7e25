package main

import (
	"context"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"locktorture/cluster"
	"locktorture/cluster/clustertest"
	"locktorture/cluster/toxiproxy"
)

// A theirCluster has servers as somebody else would run them, each behind a link.
type theirCluster struct {
	nodes []cluster.Node
	links []*cluster.Link
	addrs []string // that a user names
}

// whoTellOfOthers are servers that say where the others are: clients reach those where they say.
func whoTellOfOthers() []othersServers {
	return []othersServers{
		{"redis-sentinel", "sentinel", []string{"redis-sentinel"}, []string{"--sentinel-master", "mymaster"}, nil, nil},
		{"redis-cluster", "redis", []string{"redis-cluster"}, nil, nil, nil},
	}
}

// theirServers starts them.
func theirServers(t *testing.T, on othersServers) (s theirCluster) {
	t.Helper()
	switch on.topology {
	case "redis-sentinel":
		s.primaryOfSentinel(t)
	case "redis-cluster":
		s.clusterOfOne(t)
	default:
		s.cluster(t, on.topology)
	}
	for i, n := range s.nodes {
		if strings.HasPrefix(n.Name(), on.kind) {
			s.addrs = append(s.addrs, s.links[i].Addr())
		}
	}
	return s
}

// cluster starts what torture itself has, where nothing tells clients of other addresses.
func (s *theirCluster) cluster(t *testing.T, topology string) {
	t.Helper()
	c, err := cluster.Start(t.Context(), topology, theirProvisioner(), 1, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	for i, n := range c.Nodes {
		s.nodes, s.links = append(s.nodes, n), append(s.links, c.Link(1, i))
	}
}

// primaryOfSentinel starts a primary, and a sentinel that knows it by the address of its link.
func (s *theirCluster) primaryOfSentinel(t *testing.T) {
	t.Helper()
	s.server(t, "redis", func(string) []string { return nil })
	host, port, err := net.SplitHostPort(s.links[0].Addr())
	if err != nil {
		t.Fatal(err)
	}
	s.server(t, "sentinel", func(string) []string { return []string{"sentinel monitor mymaster " + host + " " + port + " 1"} })
	answers(t, s.links[1].Addr(), "", "SENTINEL", "get-master-addr-by-name", "mymaster")
}

// clusterOfOne starts a Redis Cluster of one node, which announces its link.
func (s *theirCluster) clusterOfOne(t *testing.T) {
	t.Helper()
	s.server(t, "redis", func(link string) []string {
		host, port, _ := net.SplitHostPort(link)
		return []string{"--cluster-enabled", "yes", "--cluster-port", aPort(t), "--cluster-announce-ip", host, "--cluster-announce-port", port}
	})
	answers(t, s.nodes[0].Addr(), "", "CLUSTER", "ADDSLOTSRANGE", 0, 16383)
	answers(t, s.nodes[0].Addr(), "", "SET", "theirs", "1") // once the cluster is up
}

// server starts one behind a link, whose address its arguments may have.
func (s *theirCluster) server(t *testing.T, kind string, args func(link string) []string) {
	t.Helper()
	port, err := strconv.Atoi(aPort(t))
	if err != nil {
		t.Fatal(err)
	}
	l, err := cluster.NewLink(toxiproxy.Forward, "127.0.0.1:0", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	n, err := theirProvisioner().Start(t.Context(), cluster.Spec{Server: kind, Name: kind + "-1", Ports: []int{port}, LogDir: t.TempDir(), Args: args(l.Addr())})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := n.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	s.nodes, s.links = append(s.nodes, n), append(s.links, l)
}

func theirProvisioner() cluster.Provisioner {
	return clustertest.Servers(filepath.Join("..", "..", "bin", "servers"))
}
