package kubernetes

import (
	"context"
	"iter"
	"strconv"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

// follow watches the Job of a round and its pods until it is over or ctx ends.
func (c *collector) follow(ctx context.Context) error {
	c.mu.Lock()
	if len(c.open) == 0 {
		c.finish()
	}
	c.mu.Unlock()
	watching, stop := context.WithCancel(ctx)
	var informers []cache.SharedIndexInformer
	defer func() {
		stop()
		for _, i := range informers {
			for !i.IsStopped() {
				time.Sleep(time.Millisecond)
			}
		}
	}()
	for _, make := range []func(context.Context) (cache.SharedIndexInformer, error){c.podInformer, c.jobInformer} {
		i, err := make(watching)
		if err != nil {
			return err
		}
		informers = append(informers, i)
		go i.RunWithContext(watching)
	}
	go c.missed(watching, informers[1])
	slow := time.AfterFunc(time.Minute, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if !c.started && !c.finished {
			c.e.say("no pod began within a minute; kubectl -n %s describe job %s says what the cluster waits for", c.r.Namespace, c.r.Job)
		}
	})
	defer slow.Stop()
	select {
	case <-ctx.Done():
		return nil
	case <-c.over:
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failure
}

// podInformer watches the pods of the Job.
func (c *collector) podInformer(ctx context.Context) (cache.SharedIndexInformer, error) {
	pods := c.e.cluster.Pods
	return c.inform(&corev1.Pod{}, c.r.pods(), "",
		func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) { return pods.List(ctx, o) },
		func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) { return pods.Watch(ctx, o) },
		func(obj any) { c.pod(ctx, obj.(*corev1.Pod)) },
		func(any) {}) // if it had no result, the Job makes another
}

// jobInformer watches the Job.
func (c *collector) jobInformer(ctx context.Context) (cache.SharedIndexInformer, error) {
	jobs := c.e.cluster.Jobs
	return c.inform(&batchv1.Job{}, "", fields.OneTermEqualSelector("metadata.name", c.r.Job).String(),
		func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) { return jobs.List(ctx, o) },
		func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) { return jobs.Watch(ctx, o) },
		func(obj any) { c.job(ctx, obj.(*batchv1.Job)) },
		func(any) { c.gone(ctx) })
}

// missed looks whether the Job was deleted before its informer had listed it: no event tells that.
func (c *collector) missed(ctx context.Context, jobs cache.SharedIndexInformer) {
	if cache.WaitForCacheSync(ctx.Done(), jobs.HasSynced) && len(jobs.GetStore().List()) == 0 {
		c.gone(ctx)
	}
}

// gone ends the round because its Job was deleted.
func (c *collector) gone(ctx context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.finished && ctx.Err() == nil {
		c.fail(errGone)
	}
}

// inform makes an informer that keeps of each object what is needed of it.
func (c *collector) inform(kind runtime.Object, labels, named string, list cache.ListWithContextFunc,
	watching cache.WatchFuncWithContext, changed, gone func(any),
) (cache.SharedIndexInformer, error) {
	chosen := func(o metav1.ListOptions) metav1.ListOptions {
		o.LabelSelector, o.FieldSelector = labels, named
		return o
	}
	i := cache.NewSharedIndexInformer(cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			return list(ctx, chosen(o))
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			return watching(ctx, chosen(o))
		},
	}, c.e.cluster.Client), kind, 0, cache.Indexers{})
	if err := i.SetTransform(slim); err != nil {
		return nil, err
	}
	if err := i.SetWatchErrorHandler(func(_ *cache.Reflector, err error) { c.trouble(err) }); err != nil {
		return nil, err
	}
	_, err := i.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    changed,
		UpdateFunc: func(_, obj any) { changed(obj) },
		DeleteFunc: func(obj any) {
			if last, ok := obj.(cache.DeletedFinalStateUnknown); ok {
				obj = last.Obj
			}
			gone(obj)
		},
	})
	return i, err
}

// trouble notes an error of watching. An informer goes on by itself after most.
func (c *collector) trouble(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case apierrors.IsForbidden(err), apierrors.IsUnauthorized(err):
		c.fail(c.e.explain(err, "watch its pods"))
	case passing(err):
		c.e.say("the API server at %s does not answer: %v; the pods go on, and torture waits for them", c.e.cluster.Server, err)
	}
}

// slim drops from an object what nobody reads here: most of its size.
func slim(obj any) (any, error) {
	p, ok := obj.(*corev1.Pod)
	if !ok {
		return obj, nil
	}
	told := map[string]string{}
	for _, key := range append(countsBefore(), batchv1.JobCompletionIndexAnnotation) {
		told[key] = p.Annotations[key]
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: p.Name, Namespace: p.Namespace, UID: p.UID, ResourceVersion: p.ResourceVersion, CreationTimestamp: p.CreationTimestamp,
			DeletionTimestamp: p.DeletionTimestamp, Annotations: told,
		},
		Spec:   corev1.PodSpec{NodeName: p.Spec.NodeName},
		Status: corev1.PodStatus{Phase: p.Status.Phase, Reason: p.Status.Reason, Message: p.Status.Message, Conditions: p.Status.Conditions, ContainerStatuses: p.Status.ContainerStatuses},
	}, nil
}

// indexes returns the numbers in a list as Jobs write it: "1,3-5".
func indexes(list string) iter.Seq[int] {
	return func(yield func(int) bool) {
		for span := range strings.SplitSeq(list, ",") {
			first, last, isSpan := strings.Cut(span, "-")
			from, err := strconv.Atoi(first)
			if err != nil {
				continue
			}
			to := from
			if isSpan {
				if to, err = strconv.Atoi(last); err != nil {
					continue
				}
			}
			for i := from; i <= to; i++ {
				if !yield(i) {
					return
				}
			}
		}
	}
}
