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
	clean, dirty := sample.Broken(), sample.Broken()
	dirty.Hostile = sample.Hostile
	run, res, _ := dirty.Make()
	run.Exit = 1
	var out bytes.Buffer
	if err := report.Text(&out, run, res, false); err != nil {
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
	run, res, _ = clean.Make()
	run.Exit = 1
	var plain bytes.Buffer
	if err := report.Text(&plain, run, res, false); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Count(out.String(), "\n"), strings.Count(plain.String(), "\n"); got != want {
		t.Errorf("%d lines, want the %d of the harmless run: a newline got through", got, want)
	}
	if out.Len() > 40_000 {
		t.Errorf("%d bytes: long strings were not cut", out.Len())
	}
}

func TestGradeIsNotSaidTwice(t *testing.T) {
	run, res, _ := sample.Broken().Make()
	res.Sentence = "unsafe: two clients held it"
	var out bytes.Buffer
	if err := report.Text(&out, run, res, false); err != nil {
		t.Fatal(err)
	}
	const want = "unsafe  redlock · seckill · clock,pause · 30 s · seed 7 – two clients held it\n"
	if !strings.HasPrefix(out.String(), want) {
		t.Errorf("the text begins with %.120q, want %q", out.String(), want)
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
