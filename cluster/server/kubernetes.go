package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"path"
	"strconv"
	"time"

	"locktorture/cluster"
)

// KubeAPIServer is the kube-apiserver of Kubernetes. It stores no data itself: the arguments of its
// node name its etcd, its certificates and the file of the users and their tokens. It is written in
// Go, whose programs read the time from the kernel and not from libc.
type KubeAPIServer struct{}

var _ Clockless = KubeAPIServer{}

// readyTime bounds the time from the first answer of an API server until it is ready. At its first
// start it creates its namespaces and roles, and it waits for its etcd.
const readyTime = 10 * time.Second

// Args returns its arguments.
func (KubeAPIServer) Args(s cluster.Spec, data string) ([]string, error) {
	if len(s.Ports) < 1 {
		return nil, errors.New("kube-apiserver needs a port")
	}
	args := []string{
		"--bind-address=127.0.0.1", "--secure-port=" + strconv.Itoa(s.Ports[0]),
		"--cert-dir=" + path.Join(data, "certificates"),
		"--service-account-issuer=https://kubernetes.default.svc", "--service-cluster-ip-range=10.96.0.0/16",
		"--authorization-mode=RBAC", "--endpoint-reconciler-type=none", "--enable-priority-and-fairness=false", "--v=0",
	}
	return append(args, s.Args...), nil
}

// Ready waits until the node reports its version, and then for a limited time until it is ready.
// While its etcd is down, a node cannot be ready.
func (KubeAPIServer) Ready(ctx context.Context, s cluster.Spec) (string, error) {
	// The request contains no secret, and the port belongs to the node that was just started.
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	var v struct{ GitVersion string }
	if err := getJSONWith(ctx, client, "https://"+Addr(s)+"/version", &v); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, readyTime)
	defer cancel()
	for !kubeReady(ctx, client, s) && ctx.Err() == nil {
		pause(ctx, 5*pollTime)
	}
	return "kube-apiserver " + v.GitVersion, nil
}

// kubeReady reports whether the node has its etcd and all objects that it creates at its start.
func kubeReady(ctx context.Context, client *http.Client, s cluster.Spec) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("https://%s/readyz", Addr(s)), nil)
	if err != nil {
		return false
	}
	resp, err := client.Do(req)
	if err != nil {
		return false
	}
	resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

// WhyNoClock implements Clockless: kube-apiserver reads the time from the kernel.
func (KubeAPIServer) WhyNoClock() string {
	return "kube-apiserver is a Go program, which asks the kernel for the time, and ends no Lease by itself"
}
