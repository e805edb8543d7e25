package kubernetes

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	"locktorture/report/scorecard"
)

// A node that is not heard from is said once, with what helps; when it was deleted the cluster ends
// its pods, and what they ran is run again.
func TestUnheard(t *testing.T) {
	t.Parallel()
	deleted := make(chan struct{})
	f := newFake(t, func(_, attempt int) end {
		if attempt == 0 {
			return end{code: 137, disrupted: true, gone: true, wait: deleted}
		}
		return end{}
	})
	f.client.PrependReactor("create", "pods", func(a clienttesting.Action) (bool, runtime.Object, error) {
		p := a.(clienttesting.CreateAction).GetObject().(*corev1.Pod)
		if strings.HasSuffix(p.Name, "-0") { // the first of its index
			unready(p)
		}
		return false, nil, nil
	})
	cfg := config(t, 2)
	said := cfg.Progress.(*syncBuffer)
	e, q := New(cfg, f.cluster()), newQueue(2)
	done := make(chan error, 1)
	go func() { done <- e.Execute(within(t), q) }()
	const want = "kubectl delete node node-7"
	for end := time.Now().Add(10 * time.Second); !strings.Contains(said.String(), want) && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	close(deleted)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(said.String(), want); n != 1 {
		t.Errorf("said %d times: %q", n, said)
	}
	for i := range 2 {
		if q.of(i).State != scorecard.Tried || f.made[i] != 2 {
			t.Errorf("%d is %q after %d pods", i, q.of(i).State, f.made[i])
		}
	}
	f.nothingLeft(e)
}

// unready is what the cluster makes of a pod that runs on a node that it does not hear from.
func unready(p *corev1.Pod) {
	p.Status.Phase = corev1.PodRunning
	p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionFalse}}
	p.Status.ContainerStatuses = []corev1.ContainerStatus{{State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}
}

// Pods that begin, end, or were told to end are not ready either.
func TestUnheardIsNone(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*corev1.Pod){
		"ready":  func(p *corev1.Pod) { p.Status.Conditions[0].Status = corev1.ConditionTrue },
		"begins": func(p *corev1.Pod) { p.Status.Phase = corev1.PodPending },
		"ended":  func(p *corev1.Pod) { p.Status.Phase = corev1.PodSucceeded },
		"about to": func(p *corev1.Pod) {
			p.Status.ContainerStatuses[0].State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}}
		},
		"told to end": func(p *corev1.Pod) { p.DeletionTimestamp = &metav1.Time{Time: time.Now()} },
	} {
		p := &corev1.Pod{Spec: corev1.PodSpec{NodeName: "node-7"}}
		unready(p)
		if unheard(p) != "node-7" {
			t.Fatal("a pod of a node that is not heard from was not told")
		}
		if change(p); unheard(p) != "" {
			t.Errorf("%s: %s is said not to be heard from", name, unheard(p))
		}
	}
}
