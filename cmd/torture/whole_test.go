package main

import (
	"context"
	"errors"
	"io"
	"os/exec"

	"locktorture/internal/exit"
	"locktorture/runs"
)

// inProcess runs one command line in the test's own process and returns its exit code. A command
// that needs the whole program runs it as a child: becoming it, as main does, would end the tests
// of the package with the child's exit code.
func inProcess(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	return execute(ctx, args, in, out, errOut, func(ctx context.Context) error {
		path, err := wholeProgram().Path(ctx)
		if err != nil {
			return runs.Broken(err)
		}
		child := exec.CommandContext(ctx, path, args...)
		child.Stdin, child.Stdout, child.Stderr = in, out, errOut
		err = child.Run()
		var failed *exec.ExitError
		switch {
		case err == nil:
			return nil
		case errors.As(err, &failed):
			return exit.Silent(failed.ExitCode())
		default:
			return runs.Broken(err)
		}
	})
}
