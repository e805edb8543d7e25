package kubernetes

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	clienttesting "k8s.io/client-go/testing"

	"locktorture/internal/exit"
	"locktorture/report/scorecard"
)

// Pods come to all ends that there are; each try ends once, as the rules say.
func TestRound(t *testing.T) {
	t.Parallel()
	ends := map[int][]end{
		1: {{code: 2}},                                    // refused: no other pod
		2: {{code: 4}, {code: 0}},                         // the harness failed once
		3: {{code: 4}, {code: 4}, {code: 4}},              // and three times
		4: {{code: 143, disrupted: true, gone: true}, {}}, // evicted
		5: {{code: 137, silent: true}, {}},                // killed
		6: {{code: 137, silent: true}, {code: 137, silent: true}, {code: 137, silent: true}},
		7: {{torn: 1}},         // a log that is written while it is read
		8: {{torn: looks + 1}}, // and one that stays torn
	}
	f := newFake(t, func(index, attempt int) end {
		if list := ends[index]; attempt < len(list) {
			return list[attempt]
		}
		return end{}
	})
	cfg := config(t, 3)
	e, q := New(cfg, f.cluster()), newQueue(10)
	if err := e.Execute(within(t), q); err != nil {
		t.Fatal(err)
	}
	for i, want := range map[int]struct {
		state  string
		pods   int
		reason string
	}{
		0: {scorecard.Tried, 1, ""}, 1: {scorecard.NotPossible, 1, "it has no clock"}, 2: {scorecard.Tried, 2, ""},
		3: {scorecard.HarnessFailed, 3, "the servers did not start"}, 4: {scorecard.Tried, 2, ""}, 5: {scorecard.Tried, 2, ""},
		6: {scorecard.HarnessFailed, 3, "ended with code 137"}, 7: {scorecard.Tried, 1, ""}, 8: {scorecard.Tried, 1, ""}, 9: {scorecard.Tried, 1, ""},
	} {
		got := q.of(i)
		if got.State != want.state || got.Pods != want.pods || !strings.Contains(got.Reason, want.reason) {
			t.Errorf("%d: %s after %d pods (%s), want %s after %d (%s)", i, got.State, got.Pods, got.Reason, want.state, want.pods, want.reason)
		}
		if n := q.begun[nameOf(got)]; n > 1 || n == 0 && want.state == scorecard.Tried {
			t.Errorf("%d has begun %d times", i, n)
		}
		_, err := os.Stat(filepath.Join(cfg.Out, "runs", nameOf(got), "history.jsonl"))
		if there := want.state == scorecard.Tried && i != 8; there != (err == nil) || there != (got.Dir != "") {
			t.Errorf("%d: its directory is %q, %v", i, got.Dir, err)
		}
	}
	var run struct {
		Name       string
		Kubernetes struct{ Node, Image, Pod string }
	}
	b, err := os.ReadFile(filepath.Join(cfg.Out, "runs", nameOf(q.of(9)), "run.json"))
	if err := json.Unmarshal(b, &run); err != nil || run.Name != "x" || run.Kubernetes.Node != "node-7" || run.Kubernetes.Image != "image@sha256:1" {
		t.Errorf("run.json: %v\n%s", err, b)
	}
	if err != nil {
		t.Error(err)
	}
	if said := cfg.Progress.(*syncBuffer).String(); !strings.Contains(said, "counter 8: its run directory is lost") {
		t.Errorf("said was: %s", said)
	}
	f.nothingLeft(e)
}

// A coordinator is killed while pods run. The next goes on with the same Job: nothing is lost,
// and nothing run twice.
func TestResume(t *testing.T) {
	t.Parallel()
	held := make(chan struct{})
	f := newFake(t, func(index, _ int) end {
		if index >= 4 {
			return end{wait: held}
		}
		return end{}
	})
	f.unattended = true
	ran := make(chan int, 8)
	f.after = func(index int) { ran <- index }
	cfg := config(t, 2)
	first, plan := New(cfg, f.cluster()), newQueue(8).tries
	if _, err := first.begin(within(t), plan); err != nil {
		t.Fatal(err)
	}
	for range 4 {
		<-ran
	}
	// It had kept two verdicts before it was killed; two more came while nobody looked.
	q := newQueue(8)
	q.tries = q.tries[2:]
	second := New(cfg, f.cluster())
	done := make(chan error, 1)
	go func() { done <- second.Execute(within(t), q) }()
	for range 2 {
		<-q.told
	}
	close(held)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	for i := range 8 {
		if f.made[i] != 1 {
			t.Errorf("%d was run %d times", i, f.made[i])
		}
		if got := q.of(i).State; i >= 2 && got != scorecard.Tried {
			t.Errorf("%d is %q", i, got)
		}
	}
	f.nothingLeft(second)
}

// A coordinator is killed before its Job has its cells, or before there is one.
func TestResumeBeforeTheBeginning(t *testing.T) {
	t.Parallel()
	for _, stage := range []string{"no Job", "suspended"} {
		f := newFake(t, func(int, int) end { return end{} })
		cfg := config(t, 2)
		e, q := New(cfg, f.cluster()), newQueue(3)
		r := round{Job: "torture-1", Namespace: ns, Server: "fake", Cells: q.tries}
		b, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(e.path(), b, 0o600); err != nil {
			t.Fatal(err)
		}
		if stage == "suspended" {
			if _, err := e.cluster.Jobs.Create(t.Context(), e.job(r.Job, 3, 0), metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		if err := e.Execute(within(t), q); err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			if q.of(i).State != scorecard.Tried || f.made[i] != 1 {
				t.Errorf("%s: %d is %q after %d pods", stage, i, q.of(i).State, f.made[i])
			}
		}
		f.nothingLeft(e)
	}
	// In another namespace the Job would not be found.
	cfg := config(t, 1)
	e := New(cfg, newFake(t, nil).cluster())
	if err := os.WriteFile(e.path(), []byte(`{"job":"j","namespace":"other","server":"fake"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := e.Execute(t.Context(), newQueue(1)); err == nil || !strings.Contains(err.Error(), "namespace other") {
		t.Errorf("another namespace: %v", err)
	}
}

// Who interrupts a matrix keeps what there is, and leaves nothing in the cluster.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	held := make(chan struct{})
	defer close(held)
	f := newFake(t, func(index, _ int) end {
		if index >= 2 {
			return end{wait: held}
		}
		return end{}
	})
	e, q := New(config(t, 2), f.cluster()), newQueue(6)
	ctx, cancel := context.WithCancel(within(t))
	done := make(chan error, 1)
	go func() { done <- e.Execute(ctx, q) }()
	for range 2 {
		<-q.told
	}
	cancel()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	for i := range 6 {
		if got, want := q.of(i).State, map[bool]string{true: scorecard.Tried, false: scorecard.NotRun}[i < 2]; got != want {
			t.Errorf("%d is %q, want %q", i, got, want)
		}
	}
	f.nothingLeft(e)
}

// An API server that is away for some requests is waited for.
func TestAway(t *testing.T) {
	t.Parallel()
	f := newFake(t, func(int, int) end { return end{} })
	cfg := config(t, 1)
	e, q := New(cfg, f.cluster()), newQueue(4)
	f.after = func(index int) {
		if index == 1 {
			f.unanswered.Store(2)
		}
	}
	if err := e.Execute(within(t), q); err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		if q.of(i).State != scorecard.Tried || f.made[i] != 1 {
			t.Errorf("%d is %q after %d pods", i, q.of(i).State, f.made[i])
		}
	}
	if said := cfg.Progress.(*syncBuffer).String(); !strings.Contains(said, "does not answer") {
		t.Errorf("said was: %q", said)
	}
	f.nothingLeft(e)
}

// What keeps a matrix from beginning is said with what helps, and a code.
func TestExplained(t *testing.T) {
	t.Parallel()
	jobs := schema.GroupResource{Group: "batch", Resource: "jobs"}
	for _, c := range []struct {
		err  error
		code int
		want string
	}{
		{apierrors.NewForbidden(jobs, "x", nil), exit.BadUsage, "torture kubernetes manifest --namespace ns prints the Role"},
		{apierrors.NewUnauthorized("no"), exit.BadUsage, "give a file whose token or certificate is valid"},
		{&apierrors.StatusError{ErrStatus: metav1.Status{Code: http.StatusNotFound, Reason: metav1.StatusReasonNotFound, Message: `namespaces "ns" not found`, Details: &metav1.StatusDetails{Kind: "namespaces", Name: "ns"}}},
			exit.BadUsage, "it does not exist at fake"},
		{errAway, exit.Harness, "does not answer"},
	} {
		f := newFake(t, nil)
		f.client.PrependReactor("create", "jobs", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, c.err })
		err := New(config(t, 1), f.cluster()).Check(t.Context())
		if err == nil || exit.Coded(err).(*exit.Error).Code != c.code || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want code %d and %q", c.err, err, c.code, c.want)
		}
	}
	if err := New(config(t, 1), newFake(t, nil).cluster()).Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// An image that no node can get ends the matrix, and says so.
func TestNoImage(t *testing.T) {
	t.Parallel()
	f := newFake(t, nil)
	f.script = func(int, int) end { return end{wait: make(chan struct{})} }
	f.client.PrependReactor("create", "pods", func(a clienttesting.Action) (bool, runtime.Object, error) {
		p := a.(clienttesting.CreateAction).GetObject().(*corev1.Pod)
		p.Status.Phase = corev1.PodPending
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff", Message: "not found"}}}}
		return false, nil, nil
	})
	e := New(config(t, 1), f.cluster())
	err := e.Execute(within(t), newQueue(2))
	if err == nil || !strings.Contains(err.Error(), "--pod-image image: node node-7 cannot get it") || exit.Coded(err).(*exit.Error).Code != exit.BadUsage {
		t.Errorf("%v", err)
	}
	f.nothingLeft(e)
}

// A Job that somebody deletes is no reason to make another in its place without a word.
func TestDeleted(t *testing.T) {
	t.Parallel()
	held := make(chan struct{})
	defer close(held)
	var once, begun sync.Once
	runs := make(chan struct{}) // a pod does
	f := newFake(t, func(int, int) end {
		begun.Do(func() { close(runs) })
		return end{wait: held}
	})
	watched := make(chan struct{}) // the Job is: this cluster forgets what came between a list and a watch
	f.client.PrependWatchReactor("jobs", func(a clienttesting.Action) (bool, watch.Interface, error) {
		w, err := f.client.Tracker().Watch(a.GetResource(), ns)
		once.Do(func() { close(watched) })
		return true, w, err
	})
	e, q := New(config(t, 1), f.cluster()), newQueue(2)
	ctx := within(t)
	go func() {
		for _, event := range []chan struct{}{runs, watched} {
			select {
			case <-event:
			case <-ctx.Done():
				return
			}
		}
		list, err := f.client.BatchV1().Jobs(ns).List(ctx, metav1.ListOptions{})
		if err != nil || len(list.Items) != 1 {
			t.Errorf("%v, %+v", err, list)
			return
		}
		_ = f.client.BatchV1().Jobs(ns).Delete(ctx, list.Items[0].Name, metav1.DeleteOptions{})
	}()
	if err := e.Execute(ctx, q); err == nil || !strings.Contains(err.Error(), "deleted while it ran") {
		t.Errorf("%v", err)
	}
}
