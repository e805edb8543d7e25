package locktest_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"locktorture/internal/testenv"
	"locktorture/locks"
	"locktorture/locks/locktest"
	"locktorture/locks/thirdparty"
)

// TestKubernetes needs API servers, which make test does not ask for.
func TestKubernetes(t *testing.T) {
	t.Parallel()
	if err := testenv.Servers(filepath.Join("..", "..", "bin", "servers")).Serves("kube-apiserver"); err != nil {
		t.Skip(err)
	}
	t.Run("kubernetes-lease", func(t *testing.T) {
		w := start(t, "kubernetes")
		s := w.suite(thirdparty.KubernetesLeaseTraits(), func(_ context.Context, endpoints []string, owner string) (locks.Locker, error) {
			// Without Settle a release right after a grant is refused now and then.
			return thirdparty.NewKubernetesLease(thirdparty.KubernetesConfig{Endpoints: endpoints, TTL: 2 * time.Second, Owner: owner, Settle: true})
		})
		s.TTL = 2 * time.Second
		probe, err := thirdparty.NewKubernetesProbe(w.cluster.Endpoints(0), "kubernetes")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { probe.Close() })
		s.Prober, s.Quorum = probe, 1 // a Lease is read from etcd: one sight stands for all
		locktest.Run(t, s)
	})
}
