package process

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"syscall"
	"time"
)

// Pause stops the server (SIGSTOP) and returns when it is seen stopped.
func (n *Node) Pause(ctx context.Context) error {
	return n.signalAndSee(ctx, "pause", syscall.SIGSTOP, true)
}

// Resume lets it go on (SIGCONT).
func (n *Node) Resume(ctx context.Context) error {
	return n.signalAndSee(ctx, "resume", syscall.SIGCONT, false)
}

// signalAndSee sends a signal and waits until the process has followed it.
func (n *Node) signalAndSee(ctx context.Context, verb string, s syscall.Signal, stopped bool) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.child.alive() {
		return fmt.Errorf("%s %s: %w", verb, n.Name(), ErrDown)
	}
	if err := n.child.signal(s); err != nil {
		return fmt.Errorf("%s %s: %w", verb, n.Name(), err)
	}
	for {
		seen, err := n.child.stoppedAll(stopped)
		if err != nil || seen {
			return err
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%s %s: %w", verb, n.Name(), ctx.Err())
		}
		pause(ctx, time.Millisecond)
	}
}

// isStopped reads from /proc whether a process is stopped by a signal.
func isStopped(pid int) (bool, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false, fmt.Errorf("look at process %d: %w", pid, err)
	}
	rest := bytes.TrimSpace(b[bytes.LastIndexByte(b, ')')+1:])
	return len(rest) > 0 && rest[0] == 'T', nil
}
