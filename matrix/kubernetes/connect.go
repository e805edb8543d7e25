package kubernetes

import (
	"context"
	"fmt"
	"io"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	batchclient "k8s.io/client-go/kubernetes/typed/batch/v1"
	coreclient "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/clientcmd"

	"locktorture/internal/exit"
)

// Connect reads a kubeconfig as kubectl does ("": KUBECONFIG, ~/.kube/config, or the account of
// the pod that this is), and returns what is needed of a namespace of its cluster; "" is that
// of the file. It asks the cluster nothing.
func Connect(kubeconfig, namespace string) (Cluster, string, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = kubeconfig
	over := &clientcmd.ConfigOverrides{}
	over.Context.Namespace = namespace
	file := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, over)
	rest, err := file.ClientConfig()
	if err != nil {
		return Cluster{}, "", exit.Usage("--kubeconfig: %v; name a file that kubectl can use", err)
	}
	if namespace, _, err = file.Namespace(); err != nil {
		return Cluster{}, "", exit.Usage("--kubeconfig: %v", err)
	}
	rest.QPS, rest.Burst = 50, 100
	rest.Wrap(func(t http.RoundTripper) http.RoundTripper { return boundedTransport{t, mostAnswer} })
	rest.UserAgent = ownerName
	jobs, err := batchclient.NewForConfig(rest)
	if err != nil {
		return Cluster{}, "", exit.Usage("--kubeconfig: %v", err)
	}
	core, err := coreclient.NewForConfig(rest)
	if err != nil {
		return Cluster{}, "", exit.Usage("--kubeconfig: %v", err)
	}
	pods := core.Pods(namespace)
	return Cluster{
		Server: rest.Host, Client: core, Jobs: jobs.Jobs(namespace), Pods: pods, Maps: core.ConfigMaps(namespace),
		Log: func(ctx context.Context, pod string) (io.ReadCloser, error) {
			return pods.GetLogs(pod, &corev1.PodLogOptions{Container: container}).Stream(ctx)
		},
	}, namespace, nil
}

// Requests returns the resource requests of a pod, from pairs such as cpu and 500m.
func Requests(pairs map[string]string) (corev1.ResourceList, error) {
	list := corev1.ResourceList{}
	for name, value := range pairs {
		q, err := resource.ParseQuantity(value)
		if err != nil {
			return nil, fmt.Errorf("%s=%s: %w", name, value, err)
		}
		switch name {
		case "cpu", "memory", "ephemeral-storage":
		default:
			return nil, fmt.Errorf("%s=%s: cpu, memory or ephemeral-storage", name, value)
		}
		list[corev1.ResourceName(name)] = q
	}
	return list, nil
}

// Clean deletes the Jobs that killed matrices have left, with their pods and what was printed
// there: those that have ended, and all of the matrix that is named. It returns their names,
// and the matrices whose Jobs still run.
func Clean(ctx context.Context, c Cluster, namespace, matrix string) (gone, runs []string, err error) {
	e := New(Config{Namespace: namespace}, c)
	list, err := c.Jobs.List(ctx, metav1.ListOptions{LabelSelector: ownerLabel + "=" + ownerName})
	if err != nil {
		return nil, nil, e.explain(err, "list Jobs")
	}
	for _, j := range list.Items {
		switch of := matrixOf(&j); {
		case j.DeletionTimestamp != nil, matrix != "" && matrix != of && matrix != j.Name:
			continue
		case matrix == "" && !over(&j):
			runs = append(runs, of)
			continue
		}
		if err := c.Jobs.Delete(ctx, j.Name, metav1.DeleteOptions{PropagationPolicy: new(metav1.DeletePropagationBackground)}); err != nil {
			return gone, runs, e.explain(err, "delete Jobs")
		}
		gone = append(gone, j.Name)
	}
	return gone, runs, nil
}
