//go:build !engine

package docker

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"locktorture/cluster"
)

// Compiled reports that this program cannot start containers. It sends an engine only plain HTTP
// requests.
const Compiled = false

// A Provisioner replaces the provisioner of the build with containers.
type Provisioner struct{}

var _ cluster.Provisioner = (*Provisioner)(nil)

// New returns a provisioner.
func New(map[string]string) *Provisioner { return &Provisioner{} }

// Serves returns nil if an engine answers and a kind of server can be started in a container. Only
// the build with containers checks whether the image is available.
func (p *Provisioner) Serves(need string) error {
	kind, _, _ := strings.Cut(need, ":")
	if _, ok := recipes()[kind]; !ok {
		return fmt.Errorf("docker: %s cannot be started in a container", kind)
	}
	if err := Answers(context.Background()); err != nil {
		return fmt.Errorf("docker: %w", err)
	}
	return nil
}

// Start returns ErrNotCompiled.
func (p *Provisioner) Start(context.Context, cluster.Spec) (cluster.Node, error) {
	return nil, ErrNotCompiled
}

// OpenSite returns ErrNotCompiled.
func OpenSite(context.Context) (Site, error) { return nil, ErrNotCompiled }

// Clean returns ErrNotCompiled if there are abandoned containers, which only the build with
// containers can remove. Without an engine it does nothing.
func Clean(ctx context.Context) ([]string, error) {
	if Answers(ctx) != nil {
		return nil, nil
	}
	filter, err := json.Marshal(map[string][]string{"label": {labelOwner}})
	if err != nil {
		return nil, err
	}
	var list []struct{ Labels map[string]string }
	if err := get(ctx, "/containers/json", url.Values{"all": {"1"}, "filters": {string(filter)}}, &list); err != nil {
		return nil, fmt.Errorf("look for containers: %w", err)
	}
	here, err := world()
	if err != nil {
		return nil, err
	}
	for _, c := range list {
		if dead, err := abandoned(c.Labels, here); dead || err != nil {
			return nil, ErrNotCompiled
		}
	}
	return nil, nil
}
