package thirdparty

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coordination "k8s.io/client-go/kubernetes/typed/coordination/v1"

	"locktorture/locks"
)

// A KubernetesProbe asks an API server who has the Lease of an election.
type KubernetesProbe struct {
	client coordination.CoordinationV1Interface
	wires  *wires
	node   string
}

var _ locks.Prober = (*KubernetesProbe)(nil)

// NewKubernetesProbe returns a probe of these API servers, which answer as one under the name
// node: a Lease is read from etcd.
func NewKubernetesProbe(endpoints []string, node string) (*KubernetesProbe, error) {
	w := newWires(nil)
	c, err := kubeClient(KubernetesConfig{Endpoints: endpoints}, w)
	if err != nil {
		return nil, err
	}
	return &KubernetesProbe{client: c, wires: w, node: node}, nil
}

// Probe returns the holder's identity, and what is left by the time that the holder wrote:
// whoever takes the Lease goes by its own observation.
func (p *KubernetesProbe) Probe(ctx context.Context, name string) ([]locks.Sight, error) {
	sight := locks.Sight{Node: p.node, Left: -1}
	lease, err := p.client.Leases(kubeNamespace).Get(ctx, kubeName(name), metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return []locks.Sight{sight}, nil
	case err != nil:
		return nil, fmt.Errorf("probe %s: %w", p.node, err)
	}
	s := lease.Spec
	if s.HolderIdentity == nil || *s.HolderIdentity == "" || s.RenewTime == nil || s.LeaseDurationSeconds == nil {
		return []locks.Sight{sight}, nil
	}
	sight.Owner = *s.HolderIdentity
	sight.Left = max(0, time.Until(s.RenewTime.Add(time.Duration(*s.LeaseDurationSeconds)*time.Second)))
	return []locks.Sight{sight}, nil
}

// Close drops the connections.
func (p *KubernetesProbe) Close() error {
	p.wires.cut()
	return nil
}
