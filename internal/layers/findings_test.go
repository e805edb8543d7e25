package layers

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestFindings fails for a program of findings/ that is no short one of its own, or that has
// no report or no row.
func TestFindings(t *testing.T) {
	const folder, most = "../../findings", 150
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
		if row := regexp.MustCompile(`\(` + name + `/REPORT\.md\)[^\n]*`).FindString(string(index)); row != "" {
			versions(t, program, string(text), row)
		}
	}
}

// versions fails where a program is run with another version than its first line, or its row,
// names. Those of Debian's packages are not pinned.
func versions(t *testing.T, program, text, row string) {
	t.Helper()
	pins := []string{"../../findings/go.mod", "../../tools/nats/go.mod", "../../tools/s3/go.mod"}
	switch filepath.Ext(program) {
	case ".py", ".java":
		return
	case ".js":
		pins = []string{filepath.Join(filepath.Dir(program), "package.json")}
	}
	var pinned strings.Builder
	for _, pin := range pins {
		of, err := os.ReadFile(pin)
		if err != nil {
			t.Fatal(err)
		}
		pinned.Write(of)
	}
	version := regexp.MustCompile(`v?\d+\.\d+\.\d+(-beta\.\d+)?`)
	first, _, _ := strings.Cut(text, "\n")
	named := version.FindAllString(first, -1)
	if len(named) == 0 {
		t.Errorf("%s does not begin with the version that it is about", program)
	}
	if cells := strings.Split(row, "|"); len(cells) > 1 {
		named = append(named, version.FindAllString(cells[1], -1)...)
	}
	for _, v := range named {
		if !regexp.MustCompile(`[ "]` + regexp.QuoteMeta(v) + `["\s]`).MatchString(pinned.String()) {
			t.Errorf("%s names %s, and %s does not have that", program, v, strings.Join(pins, ", "))
		}
	}
}
