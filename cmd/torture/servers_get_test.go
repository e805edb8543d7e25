package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"locktorture/internal/exit"
)

// An interrupt ends the script of the servers and what it has started, and the script tidies up.
func TestServersInterrupted(t *testing.T) {
	script, err := os.ReadFile("../../scripts/servers")
	if err != nil {
		t.Fatal(err)
	}
	root, temporary := t.TempDir(), t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "scripts", "servers.d"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"go.mod": "module locktorture\n", "scripts/servers": string(script), "scripts/servers.d/slow": "#!/bin/sh\n# slow.\necho at work >&2\nsleep 600\n",
	} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(root)
	t.Setenv("TMPDIR", temporary)
	ctx, interrupt := context.WithCancel(t.Context())
	if code := inProcess(ctx, []string{"servers", "install", "slow"}, nil, t.Output(), onWrite(interrupt)); code != exit.Interrupted {
		t.Errorf("exit code %d", code)
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("left behind in TMPDIR: %v, %v", left, err)
	}
}

// An onWrite is called when something is written.
type onWrite func()

func (f onWrite) Write(b []byte) (int, error) {
	f()
	return len(b), nil
}
