//go:build !linux

package process

import (
	"context"
	"errors"

	"locktorture/cluster"
)

// ErrNotLinux is returned by every method of a Provisioner on other systems.
var ErrNotLinux = errors.New("servers as processes need Linux: their death with the harness and their clocks depend on it")

// Serves returns ErrNotLinux.
func (p *Provisioner) Serves(string) error { return ErrNotLinux }

// Start returns ErrNotLinux.
func (p *Provisioner) Start(context.Context, cluster.Spec) (cluster.Node, error) {
	return nil, ErrNotLinux
}
