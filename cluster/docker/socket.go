package docker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

// pingTime bounds the time in which an engine must answer.
const pingTime = 2 * time.Second

// elsewhere returns an error if this machine is not Linux, or if DOCKER_HOST names an engine on
// another machine.
func elsewhere() error {
	if runtime.GOOS != "linux" {
		return errors.New("needs Linux: the containers share the network of the machine")
	}
	if host := os.Getenv("DOCKER_HOST"); host != "" && !strings.HasPrefix(host, "unix://") {
		return fmt.Errorf("the engine at %s is not on this machine: the containers share its network", host)
	}
	return nil
}

// unusable returns the reason why the containers of an engine would not share the network of this
// machine, or "".
func unusable(system string, security []string) string {
	rootless := func(o string) bool { return strings.HasPrefix(o, "name=rootless") }
	switch {
	case strings.Contains(system, "Docker Desktop"):
		return "Docker Desktop runs containers in a virtual machine with a network of its own; an engine on Linux itself is needed"
	case slices.ContainsFunc(security, rootless):
		return "the engine is rootless, with a network of its own; an engine that runs as root is needed"
	}
	return ""
}

// socket returns the path on which the engine listens.
func socket() string {
	if path, ok := strings.CutPrefix(os.Getenv("DOCKER_HOST"), "unix://"); ok {
		return path
	}
	return "/var/run/docker.sock"
}

// get sends the engine a plain HTTP request, which needs no library.
func get(ctx context.Context, path string, query url.Values, answer any) error {
	ctx, cancel := context.WithTimeout(ctx, pingTime)
	defer cancel()
	over := &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket())
	}}
	ask, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://engine"+path+"?"+query.Encode(), nil)
	if err != nil {
		return err
	}
	r, err := (&http.Client{Transport: over}).Do(ask)
	if err != nil {
		return fmt.Errorf("no Docker engine answers at unix://%s", socket())
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusOK {
		return fmt.Errorf("no Docker engine answers: %s", r.Status)
	}
	return json.NewDecoder(r.Body).Decode(answer)
}

// Answers returns nil if a usable engine answers, otherwise the reason. It sends a plain HTTP
// request to the engine's socket.
func Answers(ctx context.Context) error {
	if err := elsewhere(); err != nil {
		return err
	}
	var info struct {
		OperatingSystem string
		SecurityOptions []string
	}
	if err := get(ctx, "/info", nil, &info); err != nil {
		return err
	}
	if why := unusable(info.OperatingSystem, info.SecurityOptions); why != "" {
		return errors.New(why)
	}
	return nil
}
