package main

import (
	"path/filepath"
	"strings"
	"testing"

	"locktorture/internal/exit"
)

// TestSelftestPart: a part of a table does not replace the whole of it.
func TestSelftestPart(t *testing.T) {
	page := filepath.Join(t.TempDir(), "selftest.md") // it does not exist, so that nothing is played even if the refusal is gone
	for _, args := range [][]string{{"mutants", "--only", "readers-overlooked"}, {"hazards", "--only", "redis-set"}, {"searches", "--only", "redis-set-del"}} {
		args = append(append([]string{"selftest"}, args...), "--markdown", page)
		if code, text := said(t.Context(), args...); code != exit.BadUsage || !strings.Contains(text, "would lose its other rows") {
			t.Errorf("%v: exit code %d: %s", args, code, text)
		}
	}
}
