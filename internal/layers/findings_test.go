package layers

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFindings fails for a program of findings/ that is no short one of its own, or that has
// no report or no row.
func TestFindings(t *testing.T) {
	const folder, most = "../../findings", 120
	index, err := os.ReadFile(filepath.Join(folder, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	programs, err := filepath.Glob(filepath.Join(folder, "*", "main.*"))
	if err != nil || len(programs) < 8 {
		t.Fatalf("%d programs (%v), want eight or more", len(programs), err)
	}
	for _, program := range programs {
		name := filepath.Base(filepath.Dir(program))
		text, err := os.ReadFile(program)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), "\n"); n >= most {
			t.Errorf("%s has %d lines, want fewer than %d", program, n, most)
		}
		if strings.Contains(string(text), `"locktorture/`) {
			t.Errorf("%s imports torture, and must show the failure without it", program)
		}
		head, _, _ := strings.Cut(string(text), "\npackage ")
		if head, _, _ = strings.Cut(head, "\n'use strict'"); !strings.Contains(head, "Exit 1: the failure showed") {
			t.Errorf("%s does not begin by saying what is wrong, and that exit 1 shows it", program)
		}
		if !strings.Contains(string(index), "]("+name+"/REPORT.md)") {
			t.Errorf("findings/README.md has no row for %s", name)
		}
		if _, err := os.Stat(filepath.Join(filepath.Dir(program), "REPORT.md")); err != nil {
			t.Errorf("%s has no report: %v", name, err)
		}
	}
}
