//go:build wasip1 || simulated

package main

import (
	"context"
	"fmt"
	"io"

	"locktorture/locks/driver"
)

// run is the life of a process with its arguments.
func run(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	if len(args) == 2 && args[1] == "harness" {
		return play(ctx, in, out)
	}
	if len(args) == 2 && args[1] == "driver" {
		return driver.Serve(ctx, open, in, out)
	}
	return fmt.Errorf("usage: guest harness|driver, not %q", args)
}
