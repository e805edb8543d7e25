package cluster_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"locktorture/cluster"
	"locktorture/cluster/process"
)

// All clients share one directory, which is empty at first and goes with the cluster.
func TestDirectory(t *testing.T) {
	c, err := cluster.Start(t.Context(), "directory", process.New(), 2, "")
	if err != nil {
		t.Fatal(err)
	}
	ends := c.Endpoints(1)
	if len(ends) != 1 || !filepath.IsAbs(ends[0]) || !slices.Equal(ends, c.Endpoints(2)) || !slices.Equal(ends, c.Endpoints(0)) {
		t.Fatalf("endpoints %q, %q and %q; want one absolute path", ends, c.Endpoints(2), c.Endpoints(0))
	}
	if in, err := os.ReadDir(ends[0]); err != nil || len(in) > 0 {
		t.Errorf("%d entries, %v; want an empty directory", len(in), err)
	}
	if len(c.Nodes) != 0 || c.Link(1, 0) != nil {
		t.Error("it has a server, or a link to one")
	}
	if err := os.WriteFile(filepath.Join(ends[0], "a"), nil, 0o644); err != nil {
		t.Error(err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Dir(ends[0])); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("stat after close: %v, want that it is gone", err)
	}
}
