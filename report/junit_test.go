package report_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"locktorture/report"
	"locktorture/report/internal/sample"
	"locktorture/report/internal/schema"
)

func TestJUnitCounts(t *testing.T) {
	cases := []report.Case{
		{Class: "a", Name: "passed", Time: 1500 * time.Millisecond},
		{Class: "a", Name: "failed", Failure: "two holders", Kind: "double-grant", Detail: "line one\nline two"},
		{Class: "a", Name: "broken", Error: "a server did not start", Kind: "harness"},
		{Class: "a", Name: "left out", Skipped: "the budget did not reach it"},
	}
	var out bytes.Buffer
	if err := report.JUnit(&out, cases); err != nil {
		t.Fatal(err)
	}
	schema.JUnit(t, out.Bytes())
	const want = `<testsuite name="torture" tests="4" failures="1" errors="1" skipped="1" time="1.500">`
	if !strings.Contains(out.String(), want) {
		t.Errorf("no %s in\n%s", want, out.String())
	}
}

func TestJUnitOfHostileStrings(t *testing.T) {
	shape := sample.Broken()
	shape.Hostile = sample.Hostile
	run, res, _ := shape.Make()
	for exit := range 5 {
		run.Exit = exit
		var out bytes.Buffer
		if err := report.JUnit(&out, report.Cases(run, res)); err != nil {
			t.Fatal(err)
		}
		schema.JUnit(t, out.Bytes())
		if strings.ContainsAny(out.String(), "\x1b\x00\u202e") {
			t.Errorf("exit %d: control characters in the file", exit)
		}
	}
}
