package kubernetes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"locktorture/internal/atomicfile"
	"locktorture/internal/exit"
	"locktorture/internal/plainfile"
	"locktorture/report/scorecard"
)

// RoundFile is the file in the directory of a matrix that says which Job carries it out, as
// long as one does.
const RoundFile = "kubernetes.json"

// A round is a Job and the tries of its indexes. It is written down before the Job is made, so
// that whoever goes on after a kill finds it.
type round struct {
	Job       string          `json:"job"`
	Namespace string          `json:"namespace"`
	Server    string          `json:"server"`
	Cells     []scorecard.Try `json:"cells"`

	uid     types.UID // of the Job: another may have had its name
	adopted bool      // it was found by its name, and may be that of another matrix
}

// pods selects those of the Job.
func (r *round) pods() string { return podLabel + "=" + string(r.uid) }

func (e *Executor) path() string { return filepath.Join(e.cfg.Out, RoundFile) }

// attach finds the round of an earlier execution; nil if there is none, or its Job is gone.
func (e *Executor) attach(ctx context.Context) (*round, error) {
	b, err := plainfile.ReadIn(e.cfg.Out, RoundFile, plainfile.Data)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var r round
	if err == nil {
		err = json.Unmarshal(b, &r)
	}
	if err != nil {
		return nil, exit.Usage("%s: %v", e.path(), err)
	}
	if r.Namespace != e.cfg.Namespace || r.Server != e.cluster.Server {
		return nil, exit.Usage("%s runs as Job %s in namespace %s of %s: continue there, or delete that Job and %s", e.cfg.Out, r.Job, r.Namespace, r.Server, e.path())
	}
	j, err := e.cluster.Jobs.Get(ctx, r.Job, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err) || err == nil && j.DeletionTimestamp != nil:
		return nil, nil
	case err != nil:
		return nil, err
	}
	if e.cfg.Job != "" && e.cfg.Job != matrixOf(j) && e.cfg.Job != j.Name {
		return nil, exit.Usage("--job %s: %s runs as Job %s of %s", e.cfg.Job, e.cfg.Out, j.Name, matrixOf(j))
	}
	r.uid, e.name = j.UID, matrixOf(j)
	return &r, e.release(ctx, j, r.Cells)
}

// begin makes the Job of a round.
func (e *Executor) begin(ctx context.Context, cells []scorecard.Try) (*round, error) {
	r := &round{Namespace: e.cfg.Namespace, Server: e.cluster.Server, Cells: cells}
	for {
		e.rounds++
		if r.Job = e.name; e.rounds > 1 {
			r.Job = fmt.Sprintf("%s-%d", e.name, e.rounds)
		}
		if err := e.note(r); err != nil {
			return nil, err
		}
		j, err := e.cluster.Jobs.Create(ctx, e.job(r.Job, len(cells), deadlineOf(ctx)), metav1.CreateOptions{})
		switch {
		case apierrors.IsAlreadyExists(err) && e.rounds < mostRounds: // one of before, which is being deleted
			continue
		case err != nil:
			return nil, err
		}
		r.uid = j.UID
		return r, e.release(ctx, j, cells)
	}
}

// mostRounds is how many names a matrix has for its Jobs.
const mostRounds = 1000

// note writes a round down.
func (e *Executor) note(r *round) error {
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(e.cfg.Out, 0o755); err != nil {
		return exit.Broken(err)
	}
	if err := atomicfile.WriteTextIn(e.cfg.Out, RoundFile, string(b)); err != nil {
		return exit.Broken(err)
	}
	return nil
}

// deadlineOf returns how long a Job may run that nobody ends: a minute longer than its
// coordinator lets it. 0: without a bound.
func deadlineOf(ctx context.Context) time.Duration {
	if end, ok := ctx.Deadline(); ok {
		return max(0, time.Until(end)) + time.Minute
	}
	return 0
}

// release lets a Job begin that is still suspended, with its cells. A coordinator may have been
// killed before either.
func (e *Executor) release(ctx context.Context, j *batchv1.Job, cells []scorecard.Try) error {
	if j.Spec.Suspend == nil || !*j.Spec.Suspend {
		return nil
	}
	m, err := e.configMap(j, cells)
	if err != nil {
		return err
	}
	if _, err := e.cluster.Maps.Create(ctx, m, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	_, err = e.cluster.Jobs.Patch(ctx, j.Name, types.MergePatchType, []byte(`{"spec":{"suspend":false}}`), metav1.PatchOptions{})
	return err
}

// forget deletes the Job of a round with all that belongs to it.
func (e *Executor) forget(ctx context.Context, r *round) error {
	if r == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	err := e.steady(ctx, func() error {
		return e.cluster.Jobs.Delete(ctx, r.Job, metav1.DeleteOptions{PropagationPolicy: new(metav1.DeletePropagationBackground)})
	})
	if err != nil && !apierrors.IsNotFound(err) {
		return exit.Broken(fmt.Errorf("the Job %s is left in namespace %s: %w; delete it: kubectl -n %s delete job %s", r.Job, r.Namespace, err, r.Namespace, r.Job))
	}
	if err := os.Remove(e.path()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return exit.Broken(err)
	}
	return nil
}

const (
	// patience is how long an API server may be away before what is asked of it is given up.
	patience = 5 * time.Minute
	pause    = time.Second // between two attempts
)

// steady repeats what an API server did not answer, or was not ready for.
func (e *Executor) steady(ctx context.Context, ask func() error) error {
	for {
		err := ask()
		if err == nil || !passing(err) || ctx.Err() != nil {
			return err
		}
		e.say("the API server at %s does not answer: %v; the pods go on, and torture waits for them", e.cluster.Server, err)
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}
