package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSampleIsCurrent judges the run of docs/sample again and writes its report anew: the verdict and the headings
// must be those that are published. torture report docs/sample writes what is.
func TestSampleIsCurrent(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../docs/sample")); err != nil {
		t.Fatal(err)
	}
	if code, out := torture(t, "report", dir); code != 0 {
		t.Fatalf("exit code %d: %s", code, out)
	}
	junit, err := os.ReadFile(filepath.Join(dir, "junit.xml"))
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`failures="[1-9]`).Match(junit) {
		t.Errorf("a run that is unsafe has no failure:\n%.300s", junit)
	}
	parts := regexp.MustCompile(`(?s)<h[12][^>]*>.*?</h[12]>`)
	of := func(path string) []string {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if len(text) > 1<<20 {
			t.Errorf("%s has %d bytes", path, len(text))
		}
		return parts.FindAllString(string(text), -1)
	}
	now, kept := of(filepath.Join(dir, "report.html")), of("../../docs/sample/report.html")
	if len(now) < 5 {
		t.Fatalf("%d headings: %q", len(now), now)
	}
	if d := cmp.Diff(now, kept); d != "" {
		t.Errorf("docs/sample/report.html is stale (torture report docs/sample); now, kept:\n%s", d)
	}
}
