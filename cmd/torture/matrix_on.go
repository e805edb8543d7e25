package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"locktorture/internal/exit"
	"locktorture/internal/suggest"
	"locktorture/matrix"
	"locktorture/matrix/inpod"
	"locktorture/registry"
)

// Where the runs of a matrix are carried out.
const (
	onProcesses  = "process"
	onKubernetes = "kubernetes"
)

// A clusterSpec says which namespace of which Kubernetes cluster is meant.
type clusterSpec struct {
	Kubeconfig string
	Namespace  string
}

func (s *clusterSpec) register(f *pflag.FlagSet) {
	f.StringVar(&s.Kubeconfig, "kubeconfig", "", "`file` with the cluster's address (default: as for kubectl)")
	f.StringVar(&s.Namespace, "namespace", "", "`name` of the namespace (default: the namespace of the kubeconfig)")
}

// An onSpec is what the flags of a matrix say about where its runs are carried out.
type onSpec struct {
	On string
	clusterSpec
	PodImage string
	Job      string
	Requests map[string]string
}

func (s *onSpec) register(f *pflag.FlagSet) {
	f.StringVar(&s.On, "on", onProcesses, "place of the runs: process (on this machine) or kubernetes (in pods: docs/kubernetes.md)")
	s.clusterSpec.register(f)
	f.StringVar(&s.PodImage, "pod-image", "", "with --on kubernetes: `image` of the pods, with torture and the servers (Dockerfile)")
	f.StringVar(&s.Job, "job", "", "with --on kubernetes: `name` of the Job; if the Job exists, matrix continues it (default: a random name)")
	f.StringToStringVar(&s.Requests, "requests", map[string]string{"cpu": "1", "memory": "1Gi"}, "with --on kubernetes: resource requests of each pod, `RESOURCE=QUANTITY`; pods have no limits, because limits would slow the runs")
}

// clusterFlags are of no use to processes.
var clusterFlags = []string{"kubeconfig", "namespace", "pod-image", "job", "requests"}

// executor is who carries the runs out; nil: the matrix does, in processes.
func (s matrixSpec) executor(cmd *cobra.Command, c matrix.Config, progress io.Writer) (matrix.Executor, error) {
	if err := suggest.Among(s.On, []string{onProcesses, onKubernetes}); err != nil {
		return nil, exit.Usage("--on: %v", err)
	}
	if s.On == onProcesses {
		for _, name := range clusterFlags {
			if cmd.Flags().Changed(name) {
				return nil, exit.Usage("--%s: only with --on %s", name, onKubernetes)
			}
		}
		return nil, nil
	}
	switch s.Cluster {
	case registry.Theirs:
		return nil, exit.Usage("--cluster %s: not with --on %s: pods cannot reach your servers, and have no login", s.Cluster, onKubernetes)
	case "docker":
		return nil, exit.Usage("--cluster %s: not with --on %s: pods have no Docker engine; the image has the servers", s.Cluster, onKubernetes)
	}
	if s.PodImage == "" {
		return nil, exit.Usage("--on %s: --pod-image must name an image with torture and the servers; the Dockerfile makes one (docs/kubernetes.md)", onKubernetes)
	}
	path, err := kubernetesProgram().Path(cmd.Context())
	if err != nil {
		return nil, notThere(cmd.Context(), fmt.Errorf("--on %s: %w", onKubernetes, err))
	}
	p := matrix.Program{Path: path, Log: progress, Config: inpod.Order{
		Kubeconfig: s.Kubeconfig, Namespace: s.Namespace, Image: s.PodImage, Requests: s.Requests, Jobs: c.Jobs, Out: c.Out, Job: s.Job, Wire: c.Wire,
	}}
	return p, p.Check(cmd.Context())
}
