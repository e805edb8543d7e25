package process

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"locktorture/cluster"
	"locktorture/cluster/server"
)

// errNoKubernetes is wrapped by the error of find.
var errNoKubernetes = errors.New("make kubernetes builds it, which takes up to half an hour; make servers does not")

// kubeAPIServer is the kube-apiserver of Kubernetes.
type kubeAPIServer struct{ server.KubeAPIServer }

// find also looks beside the directories of the other servers, where make kubernetes installs it.
func (kubeAPIServer) find(look lookup) (string, error) {
	for _, dir := range look {
		look = append(look[:len(look):len(look)], filepath.Join(filepath.Dir(dir), "kubernetes"))
	}
	path, err := look.program("kube-apiserver")
	if err != nil {
		return "", fmt.Errorf("kube-apiserver is not here: %w", errNoKubernetes)
	}
	return path, nil
}

func (k kubeAPIServer) command(_ context.Context, s cluster.Spec, data string) ([]string, error) {
	return k.Args(s, data)
}
