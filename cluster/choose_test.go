package cluster_test

import (
	"strings"
	"testing"

	"locktorture/cluster"
	"locktorture/cluster/embedded"
	"locktorture/cluster/process"
)

// On a machine with nothing but Go, the embedded servers are chosen where they can
// serve, and where they cannot the error names each way out.
func TestChooseWithoutServers(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	candidates := []cluster.Candidate{
		{Name: process.Name, Provisioner: process.New()},
		{Name: "docker", Missing: "is not built yet"},
		{Name: embedded.Name, Provisioner: embedded.Provisioner{}},
	}
	for _, row := range []struct{ topology, chosen, says string }{
		{"redis", "embedded", "redis-server is not installed"},
		{"redis-5", "embedded", "docker: is not built yet"},
		{"redis-replicas", "", "embedded: this process has only a Redis without replication"},
		{"etcd-3", "", "etcd is not installed"},
		{"no-such", "", "no topology"},
	} {
		c, why, err := cluster.Choose(row.topology, candidates...)
		if err != nil {
			why = err.Error()
		}
		if c.Name != row.chosen || !strings.Contains(why, row.says) {
			t.Errorf("%s: chose %q because %q; want %q, %q", row.topology, c.Name, why, row.chosen, row.says)
		}
	}
}

// The order is the order of preference.
func TestChooseFirst(t *testing.T) {
	c, why, err := cluster.Choose("redis",
		cluster.Candidate{Name: embedded.Name, Provisioner: embedded.Provisioner{}},
		cluster.Candidate{Name: "docker", Missing: "is not built yet"})
	if err != nil || c.Name != embedded.Name || why != "servers embedded in this process (auto)" {
		t.Errorf("chose %q, %q, %v", c.Name, why, err)
	}
}
