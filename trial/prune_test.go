package trial

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

const ofARun = `{"schema": 1, "start": "2026-01-01T10:00:00Z", "backend": "redis-set", "workload": "counter"}`

func aRun(t *testing.T, base, name, text string) string {
	t.Helper()
	dir := filepath.Join(base, name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "run.json"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestPrune removes the oldest runs, and nothing that is no run: not a folder that has a
// run.json of its own, nor a link to one.
func TestPrune(t *testing.T) {
	base, elsewhere := t.TempDir(), t.TempDir()
	a, b, c := "20260101-100000.000-a-1", "20260101-100001.000-b-1", "20260101-100002.000-c-1"
	for _, name := range []string{a, b, c} {
		aRun(t, base, name, ofARun)
	}
	stay := []string{
		aRun(t, base, "thesis", `{"mine": 1}`), aRun(t, base, "20250101-100000.000-thesis", `{"mine": 1}`), aRun(t, base, "copy-of-a", ofARun),
		aRun(t, elsewhere, "20250101-100000.000-d-1", ofARun),
	}
	for name, to := range map[string]string{"latest": c, "20250101-100000.000-d-1": stay[3]} {
		if err := os.Symlink(to, filepath.Join(base, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		keep int
		gone []string
	}{{3, nil}, {1, []string{a, b}}, {0, []string{c}}} {
		gone, err := Prune(t.Context(), base, tt.keep)
		if err != nil {
			t.Fatal(err)
		}
		for i := range gone {
			gone[i] = filepath.Base(gone[i])
		}
		if !slices.Equal(gone, tt.gone) {
			t.Errorf("keep %d: %v, want %v", tt.keep, gone, tt.gone)
		}
	}
	for _, dir := range stay {
		if _, err := os.Stat(filepath.Join(dir, "run.json")); err != nil {
			t.Error(err)
		}
	}
}

// TestPruneLeavesTheLiving: a run that goes on stays, however old; when it is over it goes.
func TestPruneLeavesTheLiving(t *testing.T) {
	base := t.TempDir()
	d, err := NewDir(base, "a-1")
	if err != nil {
		t.Fatal(err)
	}
	if err := d.WriteText("run.json", ofARun); err != nil {
		t.Fatal(err)
	}
	if gone, err := Prune(t.Context(), base, 0); err != nil || len(gone) > 0 {
		t.Errorf("%v was removed while it went on: %v", gone, err)
	}
	d.unlock()
	if gone, err := Prune(t.Context(), base, 0); err != nil || len(gone) != 1 {
		t.Errorf("%v was removed when it was over: %v", gone, err)
	}
}
