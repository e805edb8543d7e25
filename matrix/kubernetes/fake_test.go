package kubernetes

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"locktorture/checker"
	"locktorture/matrix/inpod"
	"locktorture/report/scorecard"
)

// An end is what becomes of a pod.
type end struct {
	code      int
	silent    bool // it prints nothing: it was killed
	disrupted bool // the cluster took it away
	gone      bool // and nothing is left of it
	torn      int  // so often its log is read torn
	wait      <-chan struct{}
}

// A fakeCluster is client-go's fake clientset, with what the Job controller and the kubelets do
// with Indexed Jobs, as far as a coordinator sees it.
type fakeCluster struct {
	t          *testing.T
	client     *fake.Clientset
	script     func(index, attempt int) end
	after      func(index int) // a pod has ended: nil, or what is waited for
	requests   atomic.Int64    // but for watches
	unanswered atomic.Int64    // requests that fail from now on

	mu   sync.Mutex
	logs map[string][]byte
	torn map[string]int
	made map[int]int // pods of each index

	mapSize int // of the ConfigMap

	// watched is closed once the pods are watched. A watch of the fake clientset does not tell
	// what came between a list and it, as real ones do.
	watched    chan struct{}
	unattended bool // pods begin before
}

const ns = "ns"

func newFake(t *testing.T, script func(index, attempt int) end) *fakeCluster {
	f := &fakeCluster{t: t, client: fake.NewClientset(), script: script, logs: map[string][]byte{}, torn: map[string]int{}, made: map[int]int{}, watched: make(chan struct{})}
	var once sync.Once
	f.client.PrependWatchReactor("pods", func(a clienttesting.Action) (bool, watch.Interface, error) {
		w, err := f.client.Tracker().Watch(a.GetResource(), ns)
		once.Do(func() { close(f.watched) })
		return true, w, err
	})
	f.client.PrependReactor("*", "*", func(a clienttesting.Action) (bool, runtime.Object, error) {
		if a.GetVerb() != "watch" && !f.own(a) {
			f.requests.Add(1)
			if f.unanswered.Add(-1) >= 0 {
				return true, nil, errAway
			}
		}
		return false, nil, nil
	})
	f.client.PrependReactor("create", "jobs", func(a clienttesting.Action) (bool, runtime.Object, error) {
		c := a.(clienttesting.CreateActionImpl)
		return len(c.CreateOptions.DryRun) > 0, c.Object, nil
	})
	f.client.PrependReactor("patch", "jobs", func(a clienttesting.Action) (bool, runtime.Object, error) {
		if name := a.(clienttesting.PatchAction).GetName(); !f.own(a) {
			go f.control(name)
		}
		return false, nil, nil
	})
	return f
}

// own reports whether an action is one of the cluster's own, not of its user.
func (f *fakeCluster) own(a clienttesting.Action) bool {
	return a.GetSubresource() == "status" || a.GetResource().Resource == "pods" && a.GetVerb() != "list"
}

func (f *fakeCluster) cluster() Cluster {
	return Cluster{
		Server: "fake", Client: f.client, Jobs: f.client.BatchV1().Jobs(ns), Pods: f.client.CoreV1().Pods(ns), Maps: f.client.CoreV1().ConfigMaps(ns),
		Log: func(_ context.Context, pod string) (io.ReadCloser, error) {
			f.requests.Add(1)
			if f.unanswered.Add(-1) >= 0 {
				return nil, errAway
			}
			f.mu.Lock()
			defer f.mu.Unlock()
			b, ok := f.logs[pod]
			if !ok {
				return nil, fmt.Errorf("no pod %s", pod)
			}
			if f.torn[pod]--; f.torn[pod] >= 0 {
				b = b[:len(b)-100]
			} else {
				delete(f.logs, pod) // thousands of them would be counted as the coordinator's
			}
			return io.NopCloser(bytes.NewReader(b)), nil
		},
	}
}

// control does what the Job controller does with a Job that was released.
func (f *fakeCluster) control(name string) {
	if !f.unattended {
		<-f.watched
	}
	var j *batchv1.Job
	var err error
	for j == nil || *j.Spec.Suspend { // the patch is on its way
		if j, err = f.look(name); err != nil {
			f.t.Errorf("Job %s: %v", name, err)
			return
		}
	}
	o, err := f.client.Tracker().Get(corev1.SchemeGroupVersion.WithResource("configmaps"), ns, name)
	if err != nil {
		f.t.Errorf("the Job was released without its cells: %v", err)
		return
	}
	f.mapSize = len(o.(*corev1.ConfigMap).BinaryData[inpod.CellsFile])
	round, err := inpod.ReadRound(bytes.NewReader(o.(*corev1.ConfigMap).BinaryData[inpod.CellsFile]))
	if err != nil {
		f.t.Error(err)
		return
	}
	var next atomic.Int64
	var workers sync.WaitGroup
	var mu sync.Mutex
	failed := map[int]bool{}
	for range *j.Spec.Parallelism {
		workers.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(round.Cells) || f.gone(name) {
					return
				}
				if !f.index(j, i, round.Cells[i]) {
					mu.Lock()
					failed[i] = true
					f.jobStatus(name, failed, "")
					mu.Unlock()
				}
			}
		})
	}
	workers.Wait()
	mu.Lock()
	defer mu.Unlock()
	condition := batchv1.JobComplete
	if len(failed) > 0 {
		condition = batchv1.JobFailed
	}
	f.jobStatus(name, failed, condition)
}

// look reads a Job as the cluster does: that is no request.
func (f *fakeCluster) look(name string) (*batchv1.Job, error) {
	o, err := f.client.Tracker().Get(batchv1.SchemeGroupVersion.WithResource("jobs"), ns, name)
	if err != nil {
		return nil, err
	}
	return o.(*batchv1.Job), nil
}

// gone reports whether a Job was deleted.
func (f *fakeCluster) gone(name string) bool {
	_, err := f.look(name)
	return err != nil
}

func (f *fakeCluster) jobStatus(name string, failed map[int]bool, condition batchv1.JobConditionType) {
	j, err := f.look(name)
	if err != nil {
		return // deleted
	}
	var list []string
	for _, i := range slices.Sorted(maps.Keys(failed)) {
		list = append(list, strconv.Itoa(i))
	}
	j = j.DeepCopy()
	j.Status.FailedIndexes = new(strings.Join(list, ","))
	if condition != "" {
		j.Status.Conditions = []batchv1.JobCondition{{Type: condition, Status: corev1.ConditionTrue}}
	}
	_, _ = f.client.BatchV1().Jobs(ns).UpdateStatus(context.Background(), j, metav1.UpdateOptions{})
}

// index plays the pods of one index. It reports whether one of them succeeded.
func (f *fakeCluster) index(j *batchv1.Job, i int, t scorecard.Try) bool {
	failures, ignored := 0, 0
	for attempt := 0; ; attempt++ {
		e := f.script(i, attempt)
		f.mu.Lock()
		f.made[i]++
		f.mu.Unlock()
		if !f.pod(j, i, failures, ignored, t, e) {
			return true // the Job was deleted
		}
		if f.after != nil {
			f.after(i)
		}
		switch {
		case e.disrupted:
			ignored++
			continue
		case e.code == 0:
			return true
		case e.code == inpod.ExitRefused:
			return false
		}
		if failures++; failures > int(*j.Spec.BackoffLimitPerIndex) {
			return false
		}
	}
}

// pod plays one pod. It reports false if its Job was deleted meanwhile.
func (f *fakeCluster) pod(j *batchv1.Job, i, failures, ignored int, t scorecard.Try, e end) bool {
	ctx, pods := context.Background(), f.client.CoreV1().Pods(ns)
	name := fmt.Sprintf("%s-%d-%d", j.Name, i, failures+ignored)
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: ns, UID: types.UID(name), Labels: map[string]string{podLabel: string(j.UID)},
			Annotations: map[string]string{
				batchv1.JobCompletionIndexAnnotation:          strconv.Itoa(i),
				batchv1.JobIndexFailureCountAnnotation:        strconv.Itoa(failures),
				batchv1.JobIndexIgnoredFailureCountAnnotation: strconv.Itoa(ignored),
			},
		},
		Spec: j.Spec.Template.Spec,
	}
	p.Spec.NodeName = "node-7"
	p.Status.Phase = corev1.PodRunning
	if _, err := pods.Create(ctx, p, metav1.CreateOptions{}); err != nil {
		f.t.Error(err)
	}
	if e.wait != nil {
		<-e.wait
	}
	if f.gone(j.Name) {
		return false
	}
	f.mu.Lock()
	f.logs[p.Name], f.torn[p.Name] = f.print(t, e), e.torn
	f.mu.Unlock()
	f.client.ClearActions() // each has its object
	p = p.DeepCopy()
	p.Status.Phase = corev1.PodSucceeded
	if e.code != 0 {
		p.Status.Phase = corev1.PodFailed
	}
	p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: container, ImageID: "image@sha256:1", State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: int32(e.code), Reason: "Error"}}}}
	if e.disrupted {
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue}}
	}
	if e.gone {
		_ = pods.Delete(ctx, p.Name, metav1.DeleteOptions{})
	} else if _, err := pods.UpdateStatus(ctx, p, metav1.UpdateOptions{}); err != nil {
		f.t.Error(err)
	}
	return true
}

// print returns what a pod prints that comes to such an end.
func (f *fakeCluster) print(t scorecard.Try, e end) []byte {
	dir := ""
	switch {
	case e.silent:
		return nil
	case e.code == 0:
		t.State, t.Result = scorecard.Tried, &checker.Result{Grade: checker.Safe}
		t.Dir = "runs/" + nameOf(t)
		dir = samples
	case e.code == inpod.ExitRefused:
		t.State, t.Reason = scorecard.NotPossible, "it has no clock"
	default:
		t.State, t.Reason = scorecard.HarnessFailed, "the servers did not start"
	}
	var b bytes.Buffer
	if err := inpod.Print(&b, t, dir); err != nil {
		f.t.Error(err)
	}
	return b.Bytes()
}

// samples is a run directory.
var samples = filepath.Join("testdata", "run")

type netError struct{ error }

func (*netError) Timeout() bool   { return false }
func (*netError) Temporary() bool { return true }

func config(t *testing.T, jobs int) Config {
	return Config{Namespace: ns, Image: "image", Jobs: jobs, Out: t.TempDir(), Progress: &syncBuffer{}}
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(b)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// nothingLeft fails where something of a matrix is left in the cluster or in its directory.
func (f *fakeCluster) nothingLeft(e *Executor) {
	f.t.Helper()
	jobs, err := f.client.BatchV1().Jobs(ns).List(context.Background(), metav1.ListOptions{})
	if err != nil || len(jobs.Items) > 0 {
		f.t.Errorf("%d Jobs are left, %v", len(jobs.Items), err)
	}
	if _, err := os.Stat(e.path()); err == nil {
		f.t.Errorf("%s is left", e.path())
	}
}

// within gives a test so long.
func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}
