package cluster

import (
	"context"
	"fmt"
	"os"

	"locktorture/internal/wire"
)

// kubeServers is the number of API servers.
const kubeServers = 2

// startKubernetes starts API servers over one etcd, which is the last node. Each reaches etcd over
// a link of its own; they do not communicate with each other. A client has links to all API
// servers, and the first of its endpoints differs from client to client.
func startKubernetes(ctx context.Context, b *builder) error {
	const etcd, n = kubeServers, kubeServers + 1
	ports, err := b.reserve(n + 1) // for API servers, for etcd and for etcd's peers
	if err != nil {
		return err
	}
	var real []string
	for _, port := range ports[:n] {
		real = append(real, local(port))
	}
	links, err := b.mesh(real)
	if err != nil {
		return err
	}
	keys, err := b.kubeKeys()
	if err != nil {
		return err
	}
	specs := make([]Spec, kubeServers)
	for i := range specs {
		specs[i] = Spec{
			Server: "kube-apiserver", Name: fmt.Sprintf("kube-apiserver-%d", i+1), Ports: ports[i : i+1],
			Args: append(keys.args(), "--etcd-servers=http://"+links[i][etcd].Addr()),
		}
	}
	store := Spec{Server: "etcd", Name: "etcd-1", Ports: ports[etcd:], Args: []string{
		"--initial-advertise-peer-urls", "http://" + local(ports[n]), "--initial-cluster", "etcd-1=http://" + local(ports[n]),
		"--initial-cluster-token", b.Topology, "--unsafe-no-fsync",
	}}
	if err := b.start(ctx, store); err != nil {
		return err
	}
	if err := b.start(ctx, specs...); err != nil {
		return err
	}
	// The nodes with links to clients come first.
	b.cluster.Nodes = append(b.cluster.Nodes[1:], b.cluster.Nodes[0])
	b.cluster.peer = links.oneWay
	if err := b.linkClients(); err != nil {
		return err
	}
	b.kubeEndpoints(keys)
	return nil
}

// kubeEndpoints removes the clients' links to etcd, gives each client a first API server, and
// announces the endpoints together with their login.
func (b *builder) kubeEndpoints(keys kubeKeys) {
	c := b.cluster
	link, plain := c.link, c.endpoints
	c.link = func(client, node int) *Link {
		if node >= kubeServers {
			return nil
		}
		return link(client, node)
	}
	c.endpoints = func(client int) []string {
		addrs := plain(client)[:kubeServers]
		told := make([]string, kubeServers)
		for i := range told {
			first := max(client-1, 0)
			told[i] = wire.Secured{Addr: addrs[(first+i)%kubeServers], CA: keys.ca, Token: keys.token}.String()
		}
		return told
	}
}

// kubeKeys creates the certificates and the login of API servers, and a directory for them.
func (b *builder) kubeKeys() (kubeKeys, error) {
	dir, err := NewDataDir("kubernetes")
	if err != nil {
		return kubeKeys{}, err
	}
	b.onClose(func(context.Context) error { return os.RemoveAll(dir) })
	k, err := newKubeKeys(dir)
	if err != nil {
		return k, fmt.Errorf("certificates of Kubernetes: %w", err)
	}
	return k, nil
}
