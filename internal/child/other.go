//go:build !linux

package child

import (
	"context"
	"os/exec"
	"syscall"
)

type mark struct{}

// Start returns ErrNotLinux.
func Start(*exec.Cmd, Options) (*Child, error) { return nil, ErrNotLinux }

// Signal returns ErrNotLinux.
func (c *Child) Signal(syscall.Signal) error { return ErrNotLinux }

// Pause returns ErrNotLinux.
func (c *Child) Pause(context.Context) error { return ErrNotLinux }

// Resume returns ErrNotLinux.
func (c *Child) Resume(context.Context) error { return ErrNotLinux }

// PausePart returns ErrNotLinux.
func (c *Child) PausePart(context.Context, string) (func(), error) { return nil, ErrNotLinux }

// Kill returns ErrNotLinux.
func (c *Child) Kill(context.Context) error { return ErrNotLinux }
