package matrix

import (
	"os"
	"strings"
	"testing"

	"locktorture/internal/testenv"
	"locktorture/report/scorecard"
)

// TestFullDiskMatrix fills the disk with the cells of a matrix: those that were written can be
// read, and more of them when there is room again.
func TestFullDiskMatrix(t *testing.T) {
	if os.Getenv(testenv.SmallDisk) == "" {
		testenv.NeedSmallDisks(t)
		if stdout, stderr, code := testenv.OnSmallDisk(t, 64, t.TempDir(), nil, "-test.run=^TestFullDiskMatrix$", "-test.v"); code != 0 || !strings.Contains(stdout, "cells, then the disk was full") {
			t.Errorf("exit code %d:\n%s%s", code, stdout, stderr)
		}
		return
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.WriteFile("filler", make([]byte, 20<<10), 0o644))
	_, cells, err := OpenCells[scorecard.Try](".")
	must(err)
	n := 0
	for ; err == nil; n++ {
		err = cells.Add(scorecard.Try{Backend: "local", Reason: strings.Repeat("x", 999)})
	}
	t.Logf("%d cells, then the disk was full: %v", n-1, err)
	must(os.Remove("filler"))
	must(cells.Add(scorecard.Try{Backend: "none"}))
	must(cells.Close())
	tries, cells, err := OpenCells[scorecard.Try](".")
	must(err)
	must(cells.Close())
	if len(tries) != n || tries[n-1].Backend != "none" {
		t.Errorf("%d cells, want %d", len(tries), n)
	}
}
