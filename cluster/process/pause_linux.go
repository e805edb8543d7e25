package process

import (
	"context"
	"fmt"

	"locktorture/internal/child"
)

// Pause stops the server (SIGSTOP) and returns when all its threads have stopped.
func (n *Node) Pause(ctx context.Context) error {
	return n.signal(ctx, "pause", (*child.Child).Pause)
}

// Resume continues the server (SIGCONT).
func (n *Node) Resume(ctx context.Context) error {
	return n.signal(ctx, "resume", (*child.Child).Resume)
}

func (n *Node) signal(ctx context.Context, verb string, do func(*child.Child, context.Context) error) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.child.Alive() {
		return fmt.Errorf("%s %s: %w", verb, n.Name(), ErrDown)
	}
	if err := do(n.child, ctx); err != nil {
		return fmt.Errorf("%s %s: %w", verb, n.Name(), err)
	}
	return nil
}
