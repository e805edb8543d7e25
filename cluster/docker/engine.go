//go:build engine

package docker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/moby/moby/client"
	tclog "github.com/testcontainers/testcontainers-go/log"
)

// answerTime bounds the time in which an engine must answer, including the time of the registries
// that it queries.
const answerTime = 15 * time.Second

// reaperImage is the image of the library's reaper, which removes containers after the process that
// started them has ended.
const reaperImage = "testcontainers/ryuk:0.14.0"

// An engine is a Docker engine on this machine.
type engine struct{ *client.Client }

// newEngine connects to the engine, or returns the reason why there is no usable one.
func newEngine(ctx context.Context) (*engine, error) {
	if err := elsewhere(); err != nil {
		return nil, err
	}
	c, err := client.New(client.FromEnv)
	if err != nil {
		return nil, fmt.Errorf("no Docker engine: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, pingTime)
	defer cancel()
	info, err := c.Info(ctx, client.InfoOptions{})
	switch {
	case client.IsErrConnectionFailed(err):
		return nil, errors.Join(fmt.Errorf("no Docker engine answers at %s", c.DaemonHost()), c.Close())
	case err != nil:
		return nil, errors.Join(fmt.Errorf("no Docker engine answers: %w", err), c.Close())
	}
	e := &engine{Client: c}
	if why := unusable(info.Info.OperatingSystem, info.Info.SecurityOptions); why != "" {
		return nil, errors.Join(errors.New(why), c.Close())
	}
	return e, nil
}

// quietLibrary silences the library's log, and disables its reaper if the reaper's image is not
// available. It must be called before the library is used. The caller holds p.mu.
func (p *Provisioner) quietLibrary(ctx context.Context) {
	tclog.SetDefault(tclog.NewNoopLogger())
	const disabled = "TESTCONTAINERS_RYUK_DISABLED"
	if os.Getenv(disabled) != "" {
		return
	}
	if p.engine.has(ctx, reaperImage) || p.reachable(ctx, reaperImage) == nil {
		return
	}
	// The library reads its environment only at its first use.
	_ = os.Setenv(disabled, "true")
}
