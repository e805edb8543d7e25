package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"locktorture/internal/exit"
	"locktorture/matrix"
	"locktorture/matrix/inpod"
	"locktorture/report/scorecard"
)

// A collector follows one round and ends its tries.
type collector struct {
	e *Executor
	r *round
	q matrix.Queue

	mu       sync.Mutex
	open     map[int]*index // the indexes whose tries have not ended
	seen     map[types.UID]bool
	over     chan struct{} // the Job has ended, or all tries have
	finished bool
	failure  error
	started  bool // a pod of this round has run
	dirs     map[string]bool

	fetching sync.WaitGroup
	slots    chan struct{}
}

// An index is one of a Job whose try has not ended.
type index struct {
	try   scorecard.Try
	begun bool
	asked bool        // its result is being fetched
	lost  int         // pods that failed, as far as was seen
	last  *corev1.Pod // that failed
	// failed: the Job has given it up.
	failed bool
}

// complete reports whether the last pod that the Job gives an index was seen to fail. News of
// older ones may come after it.
func (x *index) complete() bool { return x.last != nil && failedBefore(x.last) >= tries }

// fetchers is how many logs are read at a time.
const fetchers = 4

func newCollector(e *Executor, r *round, left []scorecard.Try, q matrix.Queue) *collector {
	c := &collector{e: e, r: r, q: q, open: map[int]*index{}, seen: map[types.UID]bool{}, over: make(chan struct{}), dirs: map[string]bool{}, slots: make(chan struct{}, fetchers)}
	wanted := map[string]bool{}
	for _, t := range left {
		wanted[nameOf(t)] = true
	}
	for i, t := range r.Cells {
		if wanted[nameOf(t)] {
			c.open[i] = &index{try: t}
		}
	}
	return c
}

// nameOf names a try.
func nameOf(t scorecard.Try) string {
	return fmt.Sprintf("%s %s %s %d", t.Backend, t.Nemesis, t.Workload, t.Seed)
}

// play follows a round to its end and removes it from the cluster. It returns the tries of
// left that have not ended: of another round, or cut off.
func (e *Executor) play(ctx context.Context, r *round, left []scorecard.Try, q matrix.Queue) ([]scorecard.Try, error) {
	c := newCollector(e, r, left, q)
	err := c.follow(ctx)
	c.fetching.Wait()
	if err == nil {
		rest, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
		defer cancel()
		err = c.lastLook(rest)
	}
	ended := map[string]bool{}
	for i, t := range r.Cells {
		if c.open[i] == nil {
			ended[nameOf(t)] = true
		}
	}
	left = slices.DeleteFunc(left, func(t scorecard.Try) bool { return ended[nameOf(t)] })
	switch gone := errors.Is(err, errGone); {
	case gone && len(left) > 0:
		return left, exit.Broken(err)
	case gone: // by another coordinator, which was told its name; all has ended
		err = nil
	}
	return left, errors.Join(err, e.forget(ctx, r))
}

// lastLook lists the pods once more when the Job has ended: news of pods and of Jobs come in no
// order, and none may be missed.
func (c *collector) lastLook(ctx context.Context) error {
	c.mu.Lock()
	open := len(c.open)
	c.mu.Unlock()
	if open == 0 {
		return nil
	}
	var job *batchv1.Job
	err := c.e.steady(ctx, func() (err error) {
		job, err = c.e.cluster.Jobs.Get(ctx, c.r.Job, metav1.GetOptions{})
		return err
	})
	var pods *corev1.PodList
	if err == nil {
		err = c.e.steady(ctx, func() (err error) {
			pods, err = c.e.cluster.Pods.List(ctx, metav1.ListOptions{LabelSelector: c.r.pods()})
			return err
		})
	}
	if err != nil {
		return c.e.explain(err, "list the pods")
	}
	for i := range pods.Items {
		c.pod(ctx, &pods.Items[i])
	}
	c.job(ctx, job)
	c.mu.Lock()
	for i, x := range c.open {
		if x.failed && x.last != nil {
			c.fetch(ctx, i, x, x.last)
		}
	}
	c.mu.Unlock()
	c.fetching.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, x := range c.open {
		if x.failed { // its pods are gone
			delete(c.open, i)
			t := x.try
			t.State, t.Exit, t.Start, t.Pods = scorecard.HarnessFailed, exit.Harness, time.Now(), x.lost
			t.Reason = fmt.Sprintf("%d pods failed and left nothing behind", x.lost)
			c.q.End(t)
		}
	}
	return nil
}

// pod notes what became of a pod.
func (c *collector) pod(ctx context.Context, p *corev1.Pod) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i, ok := indexOf(p)
	x := c.open[i]
	if !ok || x == nil {
		return
	}
	switch p.Status.Phase {
	case corev1.PodPending:
		if why := waits(p); why != "" {
			c.e.say("%s", why)
		}
	case corev1.PodRunning, corev1.PodSucceeded:
		c.started = true
		if !x.begun {
			x.begun = true
			c.q.Begin(x.try)
		}
	}
	if node := unheard(p); node != "" {
		c.e.sayUnheard(node)
	}
	if why := c.e.cannotStart(p); why != "" && !c.started {
		c.fail(exit.Usage("%s", why))
	}
	switch p.Status.Phase {
	case corev1.PodSucceeded:
		c.fetch(ctx, i, x, p)
	case corev1.PodFailed:
		if !c.seen[p.UID] {
			c.seen[p.UID] = true
			x.lost++
			if x.last == nil || before(p) >= before(x.last) {
				x.last = p
			}
		}
		if code, ok := exitCodeOf(p); ok && code == inpod.ExitRefused && !disrupted(p) {
			c.fetch(ctx, i, x, p)
		} else if x.failed && x.complete() {
			c.fetch(ctx, i, x, x.last)
		}
	}
}

// job notes what became of the Job.
func (c *collector) job(ctx context.Context, j *batchv1.Job) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if j.Status.FailedIndexes != nil {
		for i := range indexes(*j.Status.FailedIndexes) {
			if x := c.open[i]; x != nil && !x.failed {
				x.failed = true
				if x.complete() { // or its last pod is still to come
					c.fetch(ctx, i, x, x.last)
				}
			}
		}
	}
	if over(j) {
		c.finish()
	}
}

// over reports whether a Job has ended.
func over(j *batchv1.Job) bool {
	return slices.ContainsFunc(j.Status.Conditions, func(k batchv1.JobCondition) bool {
		return (k.Type == batchv1.JobComplete || k.Type == batchv1.JobFailed) && k.Status == corev1.ConditionTrue
	})
}

// finish ends the round. The caller holds the lock.
func (c *collector) finish() {
	if !c.finished {
		c.finished = true
		close(c.over)
	}
}

// fail ends the round with an error. The caller holds the lock.
func (c *collector) fail(err error) {
	if c.failure == nil {
		c.failure = err
	}
	c.finish()
}
