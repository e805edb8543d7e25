package trial

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestPrune removes the oldest runs, and nothing that is no run.
func TestPrune(t *testing.T) {
	base := t.TempDir()
	for _, path := range []string{"1-a/run.json", "2-b/run.json", "3-c/run.json", "0-mine/notes"} {
		file := filepath.Join(base, path)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("{}"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("3-c", filepath.Join(base, "latest")); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		keep int
		gone []string
	}{{3, nil}, {1, []string{"1-a", "2-b"}}, {0, []string{"3-c"}}} {
		gone, err := Prune(base, tt.keep)
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
	if _, err := os.Stat(filepath.Join(base, "0-mine/notes")); err != nil {
		t.Error(err)
	}
}
