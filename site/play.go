package site

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"locktorture/internal/child"
	"locktorture/internal/exit"
	"locktorture/ledger"
)

// longest is how long a program may run.
const longest = 2 * time.Minute

// The exit codes of a program of findings/.
const (
	showed  = 1
	lacking = 3 // what it needs is not here
)

// crashed stands for the end of a program by an error that it did not catch. node then ends with 1, as a
// program does that shows a failure, and names its version below the stack.
const (
	crashed  = -2
	uncaught = "\n  Node.js v"
)

// play runs a program until the failure shows, or so many rounds.
func (p program) play(ctx context.Context, rounds int, env []string) (outcome, reason string, played int, err error) {
	outcome = ledger.NotSeen
	for played = 1; played <= rounds; played++ {
		code, said, err := p.once(ctx, env)
		switch {
		case err != nil:
			return "", "", played, err
		case code == lacking:
			return "", "", played, exit.Usage("what the program needs is not here: %s", said)
		case code == showed:
			return ledger.Shows, "", played, nil
		case code != 0:
			outcome, reason = ledger.Failing, said
		}
	}
	return outcome, reason, rounds, nil
}

// once runs the program once. It returns its exit code, and the end of what it said.
func (p program) once(ctx context.Context, env []string) (code int, said string, err error) {
	limited, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	cmd := exec.CommandContext(limited, p.command[0], p.command[1:]...)
	out, errOut := &child.Tail{}, &child.Tail{}
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = p.dir, append(os.Environ(), env...), out, errOut
	c, err := child.Start(cmd, child.Options{What: "the program of a finding", Roams: true})
	if err != nil {
		return 0, "", err
	}
	<-c.Done()
	exited := new(exec.ExitError)
	switch err := c.Err(); {
	case ctx.Err() != nil:
		return 0, "", ctx.Err()
	case limited.Err() != nil:
		return -1, fmt.Sprintf("it did not end within %v", longest), nil
	case errors.Is(err, child.ErrExited):
		return 0, "", nil
	case errors.As(err, &exited):
		if strings.Contains(errOut.Said(), uncaught) {
			return crashed, lastWords(errOut.Said(), out.Said()), nil
		}
		return exited.ExitCode(), lastWords(errOut.Said(), out.Said()), nil
	default:
		return 0, "", err
	}
}

// lastWords is what a program that failed said of it: the line of a panic or of an error.
func lastWords(stderr, stdout string) string {
	for line := range strings.Lines(stderr) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "panic: ") || strings.Contains(line, "Error") || strings.HasPrefix(line, "the program itself failed") {
			return brief(line)
		}
	}
	lines := strings.Split(strings.TrimSpace(stdout+"\n"+stderr), "\n")
	return brief(strings.TrimSpace(lines[len(lines)-1]))
}
