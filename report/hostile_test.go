package report_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"locktorture/report"
	"locktorture/report/internal/sample"
)

func TestTextOfHostileStrings(t *testing.T) {
	dirty := sample.Broken()
	dirty.Hostile = sample.Hostile
	run, res, _ := dirty.Make()
	run.Exit = 1
	var out bytes.Buffer
	if err := report.Text(&out, run, res, report.Look{Width: 80}); err != nil {
		t.Fatal(err)
	}
	if !utf8.Valid(out.Bytes()) {
		t.Error("no UTF-8")
	}
	for _, r := range out.String() {
		if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
			t.Fatalf("%U in the text", r)
		}
	}
	for _, line := range strings.Split(out.String(), "\n") {
		if strings.HasPrefix(line, "unsafe  ") || strings.HasPrefix(line, "forged") {
			t.Errorf("a newline got through: %.80q", line)
		}
	}
	if !strings.Contains(out.String(), `\nunsafe`) {
		t.Error("the newline is not to be seen")
	}
	if out.Len() > 40_000 {
		t.Errorf("%d bytes: long strings were not cut", out.Len())
	}
}

func TestJSONIsOneObject(t *testing.T) {
	shape := sample.Broken()
	shape.Hostile = sample.Hostile
	run, res, _ := shape.Make()
	run.Exit = 1
	var out bytes.Buffer
	if err := report.JSON(&out, run, res, "results/runs/x"); err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(out.Bytes(), []byte("\n")); n != 1 {
		t.Errorf("%d lines, want one", n)
	}
	var back report.Object
	if err := json.Unmarshal(out.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if back.Exit != 1 || back.Result.Grade != res.Grade || back.Result.Counts.Grants != res.Counts.Grants || back.Dir != "results/runs/x" {
		t.Errorf("read back %+v", back)
	}
}
