package matrix

import (
	"os"
	"path/filepath"
	"testing"

	"locktorture/report/scorecard"
)

// TestCellsFollowNoLink: a matrix that is continued writes to its own files, wherever links in
// its directory lead.
func TestCellsFollowNoLink(t *testing.T) {
	mine := filepath.Join(t.TempDir(), "mine")
	if err := os.WriteFile(mine, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{CellsFile: mine, "runs": filepath.Dir(mine)} {
		dir := t.TempDir()
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		if _, store, err := OpenCells[scorecard.Try](dir); err == nil {
			t.Errorf("a matrix whose %s is a link was opened", name)
			_ = store.Close()
		}
	}
}
