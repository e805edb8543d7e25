package kubernetes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"

	corev1 "k8s.io/api/core/v1"
	batchclient "k8s.io/client-go/kubernetes/typed/batch/v1"
	coreclient "k8s.io/client-go/kubernetes/typed/core/v1"

	"locktorture/internal/exit"
	"locktorture/matrix"
	"locktorture/report/scorecard"
)

// A Config says as what tries are carried out.
type Config struct {
	Namespace string
	Image     string              // has torture and the servers
	Requests  corev1.ResourceList // of each pod; there are no limits
	Jobs      int                 // pods at the same time
	Out       string              // directory of the matrix, here
	Job       string              // name of the Job of its first round, by which others find it; "": one that is drawn
	Wire      string              // --wire of every run; "": off
	Progress  io.Writer           // is told what keeps the pods from running; nil: nobody
}

// A Cluster is what is needed of one: client-go has it, and so has its fake clientset.
type Cluster struct {
	Server string // its address, as users know it
	Client any    // is asked what its watches can
	Jobs   batchclient.JobInterface
	Pods   coreclient.PodInterface
	Maps   coreclient.ConfigMapInterface
	// Log opens what a pod has printed.
	Log func(ctx context.Context, pod string) (io.ReadCloser, error)
}

// An Executor carries tries out in a cluster. It has one matrix.
type Executor struct {
	cfg     Config
	cluster Cluster
	told    sync.Map // what Progress was told already
	name    string   // of the matrix in the cluster
	rounds  int      // that have begun, or whose names were taken
}

// New makes an executor.
func New(cfg Config, cluster Cluster) *Executor {
	return &Executor{cfg: cfg, cluster: cluster, name: cmp.Or(cfg.Job, fmt.Sprintf("torture-%010x", rand.Uint64()>>24))}
}

// most is how many tries a round has at the most: what an Indexed Job with a limit of failures
// for each index may have.
const most = 100_000

// Execute carries the tries of a queue out in rounds. The first round continues an earlier
// execution in the same directory, if its Job still exists; each later round has the tries that
// are left.
func (e *Executor) Execute(ctx context.Context, q matrix.Queue) error {
	r, err := e.attach(ctx)
	if err == nil && r == nil && e.cfg.Job != "" {
		r, err = e.adopt(ctx)
	}
	if err != nil {
		return e.explain(err, "look for the Job of an earlier execution")
	}
	var left []scorecard.Try
	for again := 0; ; {
		for {
			t, ok := q.Next(ctx)
			if !ok {
				break
			}
			left = append(left, t)
		}
		if err := r.belongs(left); err != nil {
			return err
		}
		if len(left) == 0 {
			return e.forget(ctx, r)
		}
		if r == nil && ctx.Err() == nil {
			if r, err = e.begin(ctx, left[:min(len(left), most)]); err != nil {
				return e.explain(err, "make the Job")
			}
		}
		before := len(left)
		if r != nil {
			if left, err = e.play(ctx, r, left, q); err != nil {
				return err
			}
			r = nil
		}
		if ctx.Err() != nil {
			for _, t := range left {
				q.End(t)
			}
			return nil
		}
		if again++; len(left) < before {
			again = 0
		}
		if again > 2 {
			return exit.Broken(fmt.Errorf("%d runs gave no result in three rounds: their pods went away before torture could read their output; --resume tries again", len(left)))
		}
	}
}

// say tells the user something, once.
func (e *Executor) say(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	if _, before := e.told.LoadOrStore(line, true); !before && e.cfg.Progress != nil {
		fmt.Fprintf(e.cfg.Progress, "torture: %s\n", line)
	}
}

// errGone is that somebody has deleted a Job while its pods ran.
var errGone = errors.New("its Job was deleted while it ran; --resume makes another one for the runs that are left")
