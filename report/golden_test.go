package report_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktorture/report"
	"locktorture/report/internal/sample"
)

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", name, diff)
	}
}

func TestTextAndJUnitGolden(t *testing.T) {
	safe := sample.Broken()
	safe.Broken = false
	for _, c := range []struct {
		name  string
		shape sample.Shape
		exit  int
	}{
		{"unsafe", sample.Broken(), 1}, // ends with how to get it again
		{"expected", sample.Broken(), 0},
		{"safe", safe, 0}, // with its bound
		{"unknown", sample.Shape{Clients: 2}, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			run, res, _ := c.shape.Make()
			run.Exit = c.exit
			if c.name == "unknown" {
				res.Grade, res.Sentence, res.Reason = "", "nothing could be shown.", "0 grants, 200 are needed"
			}
			if c.name == "expected" {
				run.Expect = "unsafe"
			}
			var text, junit bytes.Buffer
			if err := report.Text(&text, run, res, c.name == "expected"); err != nil {
				t.Fatal(err)
			}
			golden(t, c.name+".txt", text.Bytes())
			if err := report.JUnit(&junit, report.Cases(run, res)); err != nil {
				t.Fatal(err)
			}
			golden(t, c.name+".xml", junit.Bytes())
		})
	}
}
