package kubernetes

import (
	"io"

	"locktorture/internal/exit"
	"locktorture/matrix/inpod"
)

// An Order is what torture wants, by names.
type Order inpod.Order

// Executor returns what carries it out.
func (o Order) Executor(progress io.Writer) (*Executor, error) {
	if o.Job != "" {
		if wrong := CheckName(o.Job); wrong != "" {
			return nil, exit.Usage("--job %s: %s", o.Job, wrong)
		}
	}
	requests, err := Requests(o.Requests)
	if err != nil {
		return nil, exit.Usage("--requests: %v", err)
	}
	cluster, namespace, err := Connect(o.Kubeconfig, o.Namespace)
	if err != nil {
		return nil, err
	}
	return New(Config{
		Namespace: namespace, Image: o.Image, Requests: requests, Jobs: o.Jobs, Out: o.Out, Job: o.Job, Wire: o.Wire, Progress: progress,
	}, cluster), nil
}
