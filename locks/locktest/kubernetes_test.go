package locktest_test

import (
	"path/filepath"
	"testing"
	"time"

	"locktorture/cluster/clustertest"
	"locktorture/locks/kubernetes"
	"locktorture/locks/locktest"
)

// TestKubernetes needs API servers, which make test does not ask for.
func TestKubernetes(t *testing.T) {
	t.Parallel()
	if err := clustertest.Servers(filepath.Join("..", "..", "bin", "servers")).Serves("kube-apiserver"); err != nil {
		t.Skip(err)
	}
	t.Run("kubernetes-lease", func(t *testing.T) {
		w := start(t, "kubernetes")
		// Without this option a release right after a grant is refused now and then.
		s := w.suite(kubernetes.Traits(), program(t, "kubernetes-lease", 2*time.Second, map[string]string{"release": "settled"}))
		s.TTL = 2 * time.Second
		probe, err := kubernetes.NewProbe(w.cluster.Endpoints(0), "kubernetes")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { probe.Close() })
		s.Prober, s.Quorum = probe, 1 // a Lease is read from etcd: one sight stands for all
		locktest.Run(t, s)
	})
}
