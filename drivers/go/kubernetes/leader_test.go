package main

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"locktorture/internal/dial"
	"locktorture/locks"
	"locktorture/locks/kubernetes"
)

// A leader that no API server answered is told its loss, and the Lease still has its name. What it
// then says of its resignation is not that the Lease had ended, which nobody has told it. One that
// has heard of the next says so.
func TestKubernetesReleaseAfterLoss(t *testing.T) {
	t.Parallel()
	for name, overtaken := range map[string]bool{"nobody answers": false, "another leads": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client := fake.NewClientset()
			var away, taken atomic.Bool
			client.PrependReactor("update", "leases", func(a clienttesting.Action) (bool, runtime.Object, error) {
				holder := a.(clienttesting.UpdateAction).GetObject().(*coordinationv1.Lease).Spec.HolderIdentity
				old := taken.Load() && *holder != "x/next" // the fake takes any version
				return old, nil, apierrors.NewConflict(schema.GroupResource{Resource: "leases"}, "l", nil)
			})
			client.PrependReactor("*", "leases", func(clienttesting.Action) (bool, runtime.Object, error) {
				return away.Load(), nil, errors.New("no API server answers")
			})
			k := &KubernetesLease{cfg: KubernetesConfig{TTL: time.Second}, wires: dial.NewWires(nil), client: client.CoordinationV1()}
			l, err := k.Campaign(t.Context(), "l", "first")
			if err != nil {
				t.Fatal(err)
			}
			if overtaken {
				leases := client.CoordinationV1().Leases(kubernetes.Namespace)
				lease, err := leases.Get(t.Context(), kubernetes.Name("l"), metav1.GetOptions{})
				if err != nil {
					t.Fatal(err)
				}
				lease.Spec.HolderIdentity = new("x/next")
				taken.Store(true)
				if _, err := leases.Update(t.Context(), lease, metav1.UpdateOptions{}); err != nil {
					t.Fatal(err)
				}
			} else {
				away.Store(true)
			}
			select {
			case <-l.(locks.Watched).Lost():
			case <-time.After(10 * time.Second):
				t.Fatal("it was not told its loss")
			}
			if err := l.Release(t.Context()); err == nil || errors.Is(err, locks.ErrNotHeld) != overtaken {
				t.Errorf("it resigned: %v", err)
			}
			away.Store(false)
			leader, _, err := k.Leader(t.Context(), "l")
			if want := map[bool]string{false: "first", true: "next"}[overtaken]; err != nil || leader != want {
				t.Errorf("the Lease names %q, %v; want %q", leader, err, want)
			}
		})
	}
}
