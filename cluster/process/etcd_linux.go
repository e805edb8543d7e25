package process

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"locktorture/cluster"
)

// etcdServer is etcd, at least 3.5: older ones differ in what they promise.
// Ports[0] is for clients, Ports[1] for its peers. It is written in Go, which
// asks the kernel and not libc for the time.
type etcdServer struct{}

var (
	_ clockless = etcdServer{}
	_ keeper    = etcdServer{}
)

func (etcdServer) find(look lookup) (string, error) {
	path, err := look.program("etcd")
	if err != nil {
		return "", err
	}
	out, err := exec.Command(path, "--version").Output()
	if err != nil {
		return "", fmt.Errorf("%s --version: %w", path, err)
	}
	var major, minor int
	_, rest, _ := strings.Cut(string(out), "etcd Version: ")
	if _, err := fmt.Sscanf(rest, "%d.%d", &major, &minor); err != nil {
		return "", fmt.Errorf("%s tells no version: %q", path, out)
	}
	if major < 3 || major == 3 && minor < 5 {
		return "", fmt.Errorf("%s is version %d.%d, 3.5 is needed: %w", path, major, minor, errMissing)
	}
	return path, nil
}

func (etcdServer) command(_ context.Context, s cluster.Spec, data string) ([]string, error) {
	if len(s.Ports) < 2 {
		return nil, errors.New("etcd needs two ports")
	}
	client, peer := "http://"+addrOf(s), fmt.Sprintf("http://127.0.0.1:%d", s.Ports[1])
	args := []string{
		"--name", s.Name, "--data-dir", filepath.Join(data, "etcd"),
		"--listen-client-urls", client, "--advertise-client-urls", client,
		"--listen-peer-urls", peer, "--log-level", "warn",
	}
	return append(args, s.Args...), nil
}

// quorumTime is how long a node that is up may take to find its cluster.
const quorumTime = 2 * time.Second

// ready waits until the node serves its peers and then, for a while, until it
// serves clients: it does not as long as too few of its cluster are up, and
// that is not its fault.
func (s etcdServer) ready(ctx context.Context, spec cluster.Spec) (string, error) {
	var v struct {
		Server string `json:"etcdserver"`
	}
	if err := getJSON(ctx, fmt.Sprintf("http://127.0.0.1:%d/version", spec.Ports[1]), &v); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, quorumTime)
	defer cancel()
	for !healthy(ctx, spec) && ctx.Err() == nil {
		pause(ctx, pollTime)
	}
	return "etcd " + v.Server, nil
}

// healthy tells whether the node has a leader and answers clients.
func healthy(ctx context.Context, s cluster.Spec) bool {
	ctx, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
	defer cancel()
	var h struct {
		Health string `json:"health"`
	}
	return getJSON(ctx, "http://"+addrOf(s)+"/health", &h) == nil && h.Health == "true"
}

func (etcdServer) whyNoClock() string {
	return "etcd is a Go program, which asks the kernel for the time, and its leases run on the monotonic clock"
}

func (etcdServer) whyNoWipe() string {
	return "an etcd that has lost its data is not let back into its cluster"
}

// getJSON reads a page over a connection of its own.
func getJSON[T any](ctx context.Context, url string, v *T) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	req.Close = true
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("get %s: %s", url, resp.Status)
	}
	return json.NewDecoder(resp.Body).Decode(v)
}
