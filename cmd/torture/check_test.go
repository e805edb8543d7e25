package main

import (
	"context"
	"errors"
	"testing"

	"locktorture/internal/exit"
)

// A heeded context is interrupted by a value that atOnce takes: then it is known to have heeded it.
type heeded struct {
	context.Context
	done chan struct{}
}

func (c heeded) Done() <-chan struct{} { return c.done }

// What is writing when the command is interrupted may finish.
func TestInterruptWaitsForWriters(t *testing.T) {
	t.Parallel()
	ctx, whole := heeded{t.Context(), make(chan struct{})}, false
	err := atOnce(ctx, func() error {
		ctx.done <- struct{}{}
		whole = true
		return nil
	})
	if e := new(exit.Error); !errors.As(err, &e) || e.Code != exit.Interrupted {
		t.Errorf("%v", err)
	}
	if !whole {
		t.Error("it was abandoned")
	}
}
