package matrix

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// Of a check that is interrupted the error is the interrupt, not that the program was killed.
func TestCheckInterrupted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	program, begun := filepath.Join(dir, "program"), filepath.Join(dir, "begun")
	if err := errors.Join(unix.Mkfifo(begun, 0o600), os.WriteFile(program, []byte("#!/bin/sh\necho >"+begun+"\nexec sleep 600\n"), 0o755)); err != nil {
		t.Fatal(err)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	go func() {
		_, _ = os.ReadFile(begun)
		interrupt()
	}()
	if err := (Program{Path: program}).Check(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("it says: %v", err)
	}
}
