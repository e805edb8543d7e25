package kubernetes

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"locktorture/internal/exit"
	"locktorture/matrix/inpod"
	"locktorture/report/scorecard"
)

// CheckName says what is wrong with the name of a Job; "" if nothing is.
func CheckName(name string) string {
	const longest = 40 // the names of its pods have an index and a suffix, too
	if len(name) > longest {
		return fmt.Sprintf("at most %d characters", longest)
	}
	if wrong := validation.IsDNS1123Label(name); len(wrong) > 0 {
		return wrong[0]
	}
	return ""
}

// adopt finds the Job that carries out the matrix of the name that was given, whoever made it:
// the directory of its coordinator may be gone. nil if there is none.
func (e *Executor) adopt(ctx context.Context) (*round, error) {
	j, err := e.find(ctx)
	if err != nil || j == nil {
		return nil, err
	}
	e.name = matrixOf(j)
	r := &round{Job: j.Name, Namespace: e.cfg.Namespace, Server: e.cluster.Server, uid: j.UID, adopted: true}
	m, err := e.cluster.Maps.Get(ctx, j.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err): // its coordinator was killed before it had cells
		return nil, e.forget(ctx, r)
	case err != nil:
		return nil, err
	}
	round, err := inpod.ReadRound(bytes.NewReader(m.BinaryData[inpod.CellsFile]))
	if err != nil {
		return nil, exit.Broken(fmt.Errorf("the ConfigMap of Job %s: %w", j.Name, err))
	}
	r.Cells = round.Cells
	return r, e.release(ctx, j, r.Cells)
}

// find finds the Job of the name that was given, or one of a later round.
func (e *Executor) find(ctx context.Context) (*batchv1.Job, error) {
	j, err := e.cluster.Jobs.Get(ctx, e.cfg.Job, metav1.GetOptions{})
	switch {
	case err == nil && j.Labels[ownerLabel] != ownerName:
		return nil, exit.Usage("--job %s: a Job of that name exists, but it is no matrix", e.cfg.Job)
	case err == nil && j.DeletionTimestamp == nil:
		return j, nil
	case err != nil && !apierrors.IsNotFound(err):
		return nil, err
	}
	list, err := e.cluster.Jobs.List(ctx, metav1.ListOptions{LabelSelector: ownerLabel + "=" + ownerName + "," + nameLabel + "=" + e.cfg.Job})
	if err != nil {
		return nil, err
	}
	for i := range list.Items {
		if list.Items[i].DeletionTimestamp == nil {
			return &list.Items[i], nil
		}
	}
	return nil, nil
}

// belongs returns an error if a Job that was found by its name carries out another matrix, or
// the same with other flags. It would be deleted at the end.
func (r *round) belongs(left []scorecard.Try) error {
	if r == nil || !r.adopted {
		return nil
	}
	args := map[string][]string{}
	for _, t := range left {
		args[nameOf(t)] = t.Args
	}
	same := 0
	for _, t := range r.Cells {
		if want, ok := args[nameOf(t)]; ok && slices.Equal(want, t.Args) {
			same++
		} else if ok {
			return exit.Usage("--job: %s has %s with the flags %q, but here its flags are %q", r.Job, nameOf(t), t.Args, want)
		}
	}
	if same == 0 {
		return exit.Usage("--job: %s has none of the runs that this matrix still lacks: it belongs to another matrix, or was read already; torture kubernetes clean --job deletes it", r.Job)
	}
	return nil
}
