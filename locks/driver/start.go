//go:build !wasip1 && !simulated

package driver

import (
	"context"
	"fmt"
	"os"
	"os/exec"

	"locktorture/internal/child"
	"locktorture/internal/hostclock"
)

// Start starts a driver process and opens a lock in it. ctx limits only the opening.
func Start(ctx context.Context, c Command, o Open) (*Client, error) {
	childIn, in, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start driver: %w", err)
	}
	out, childOut, err := os.Pipe()
	if err != nil {
		_, _ = childIn.Close(), in.Close()
		return nil, fmt.Errorf("start driver: %w", err)
	}
	cmd := exec.Command(c.Path, c.Args...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Dir, c.Env, childIn, childOut, c.Stderr
	options, host := child.Options{What: "driver process", Sweep: c.Sweep}, hostClock(nil)
	if c.HostClock {
		options.Born = func(pid int) error {
			clock, err := hostclock.Plant(pid)
			host = clock
			return err
		}
	}
	proc, err := child.Start(cmd, options)
	_, _ = childIn.Close(), childOut.Close()
	if err != nil {
		_, _ = in.Close(), out.Close()
		return nil, err
	}
	return attach(ctx, proc, in, out, c, o, host)
}
