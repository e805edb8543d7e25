package process

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

const (
	startTime = 30 * time.Second      // a server that takes longer is broken
	pollTime  = 10 * time.Millisecond // between questions whether it is ready
	tailSize  = 2000                  // bytes of a log that an error shows
)

// launch runs the program and waits until it answers. If it does not it is
// killed. n.mu is held.
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
	var env []string
	if n.clock != nil {
		env = n.clock.Env()
	}
	c, err := spawn(n.program, args, env, n.data(), log)
	if err != nil {
		return err
	}
	n.child = c
	if n.spec.Started != nil {
		n.spec.Started(c.pid)
	}
	if err := n.await(ctx); err != nil {
		if c.alive() {
			_ = c.signal(syscall.SIGKILL) // it is gone already, or goes
			<-c.done
		}
		return fmt.Errorf("%w; %s ends with: %s", err, logFile, tail(logFile))
	}
	return nil
}

// await asks until the server answers.
func (n *Node) await(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	for {
		version, err := n.kind.Ready(ctx, n.spec)
		// Whoever answers might be another server on the same port.
		if !n.child.alive() {
			return fmt.Errorf("%s ended: %w", filepath.Base(n.program), n.ending())
		}
		if err == nil {
			n.version = version
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%s does not answer: %w", filepath.Base(n.program), err)
		}
		pause(ctx, pollTime)
	}
}

// ending says how the process ended.
func (n *Node) ending() error {
	if n.child.err != nil {
		return n.child.err
	}
	return fmt.Errorf("exit status 0")
}

// tail returns the end of a log.
func tail(file string) string {
	b, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	return string(b[max(0, len(b)-tailSize):])
}
