package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locktorture/app"
	"locktorture/internal/exit"
)

// TestAppRefuses: a fault that does not exist is refused before anything is started.
func TestAppRefuses(t *testing.T) {
	dir, runs := t.TempDir(), filepath.Join(t.TempDir(), "runs")
	if code, text := said(t.Context(), "app", "init", dir); code != exit.OK {
		t.Fatalf("exit code %d: %s", code, text)
	}
	for names, want := range map[string]string{
		"pauze":        "did you mean pause?",
		"pause,hail":   `"hail"`,
		"none,pause":   `"none"`,
		"clock-jump":   `"clock-jump"`,
		"kill,,pause,": `""`,
	} {
		code, text := said(t.Context(), "app", dir, "--nemesis", names, "--dir", runs)
		if code != exit.BadUsage || !strings.Contains(text, want) {
			t.Errorf("%s: exit code %d, want %q in\n%s", names, code, want, text)
		}
	}
	if _, err := os.Stat(runs); !os.IsNotExist(err) {
		t.Errorf("there is a run directory for %s: %v", app.FileName, err)
	}
}
