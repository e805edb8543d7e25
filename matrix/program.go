package matrix

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"locktorture/internal/child"
	"locktorture/internal/exit"
)

// A Program is an executor that is a program of its own. It asks for tries over its stdin and
// stdout (Serve), and dies with this process.
type Program struct {
	Path   string
	Config any       // what it is told
	Log    io.Writer // what it says to the user
}

var _ Executor = Program{}

// What the program is run with: whether it can begin, and to carry tries out.
const (
	programCheck   = "check"
	programExecute = "execute"
)

// Check asks the program whether it could begin.
func (p Program) Check(ctx context.Context) error {
	config, err := json.Marshal(p.Config)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, p.Path, programCheck)
	var said bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(config), &said
	failed := (*exec.ExitError)(nil)
	switch err := cmd.Run(); {
	case err == nil:
		return nil
	case ctx.Err() != nil: // else it would be said that it was killed
		return exit.Broken(fmt.Errorf("%s: %w", p.Path, ctx.Err()))
	case errors.As(err, &failed) && failed.ExitCode() > 0:
		return exit.With(failed.ExitCode(), errors.New(strings.TrimSpace(said.String())))
	default:
		return exit.Broken(fmt.Errorf("%s: %w", p.Path, err))
	}
}

// Execute runs the program with a queue.
func (p Program) Execute(ctx context.Context, q Queue) error {
	config, err := json.Marshal(p.Config)
	if err != nil {
		return err
	}
	in, toChild, err := os.Pipe()
	if err != nil {
		return exit.Broken(err)
	}
	fromChild, out, err := os.Pipe()
	if err != nil {
		return exit.Broken(err)
	}
	cmd := exec.Command(p.Path, programExecute)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, p.Log
	c, err := child.Start(cmd, child.Options{What: "the executor"})
	_, _ = in.Close(), out.Close()
	if err != nil {
		return exit.Broken(errors.Join(err, toChild.Close(), fromChild.Close()))
	}
	end, ended := offer(ctx, q, config, pipes{fromChild, toChild})
	select {
	case err = <-ended:
	case <-c.Done():
		select { // its last word may be on its way
		case err = <-ended:
		case <-time.After(time.Second):
			err = exit.Broken(fmt.Errorf("the executor has ended: %w", c.Err()))
		}
	}
	end()
	<-c.Done()
	return err
}

// pipes are the two ends of a conversation.
type pipes struct {
	io.ReadCloser
	in io.WriteCloser
}

func (p pipes) Write(b []byte) (int, error) { return p.in.Write(b) }

func (p pipes) Close() error { return errors.Join(p.in.Close(), p.ReadCloser.Close()) }
