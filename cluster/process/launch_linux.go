package process

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"locktorture/internal/child"
)

const (
	startTime = 30 * time.Second      // a server that takes longer is considered broken
	pollTime  = 10 * time.Millisecond // interval between checks of its readiness
	tailSize  = 2000                  // bytes of a log that an error quotes
)

// launch starts the program and waits until it answers. If the program does not answer in time,
// launch kills it. The caller holds n.mu.
func (n *Node) launch(ctx context.Context) error {
	args, err := n.kind.command(ctx, n.spec, n.data())
	if err != nil {
		return err
	}
	logFile := filepath.Join(n.logDir, n.spec.Server+".log")
	log, err := os.OpenFile(logFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(n.program, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.Env = n.data(), log, log, os.Environ()
	if n.clock != nil {
		cmd.Env = append(cmd.Env, n.clock.Env()...)
	}
	c, err := child.Start(cmd, child.Options{What: filepath.Base(n.program), Roams: true})
	if err != nil {
		return err
	}
	n.child, n.down = c, false
	if n.spec.Started != nil {
		n.spec.Started(c.PID())
	}
	if err := n.await(ctx); err != nil {
		_ = c.Kill(context.WithoutCancel(ctx)) // it has ended already or ends soon
		<-c.Done()
		return fmt.Errorf("%w; %s ends with: %s", err, logFile, tail(logFile))
	}
	return nil
}

// await polls the server until it answers.
func (n *Node) await(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	for {
		version, err := n.kind.Ready(ctx, n.spec)
		// The answer might stem from another server on the same port.
		if !n.child.Alive() {
			return fmt.Errorf("%s ended: %w", filepath.Base(n.program), n.child.Err())
		}
		if err == nil {
			n.version = version
			if t, ok := n.kind.(teller); ok {
				n.version = t.version(n.program)
			}
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%s does not answer: %w", filepath.Base(n.program), err)
		}
		pause(ctx, pollTime)
	}
}

// tail returns the last bytes of a log.
func tail(file string) string {
	b, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	return string(b[max(0, len(b)-tailSize):])
}
