package report_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"locktorture/report"
)

// schema is what junit-10.xsd, which Jenkins checks, allows and requires of
// the elements that are written.
var schema = map[string]struct {
	required, optional, children []string
}{
	"":           {children: []string{"testsuite"}},
	"testsuite":  {[]string{"name", "tests", "failures", "errors"}, []string{"skipped", "time", "timestamp"}, []string{"testcase"}},
	"testcase":   {[]string{"name"}, []string{"classname", "time"}, []string{"skipped", "error", "failure", "system-out"}},
	"skipped":    {nil, []string{"type", "message"}, nil},
	"error":      {nil, []string{"type", "message"}, nil},
	"failure":    {nil, []string{"type", "message"}, nil},
	"system-out": {},
}

// validate fails on everything in the file that the schema does not allow.
func validate(t *testing.T, file []byte) {
	t.Helper()
	dec := xml.NewDecoder(bytes.NewReader(file))
	path := []string{""}
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("not well-formed: %v", err)
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			name, parent := tok.Name.Local, path[len(path)-1]
			if !slices.Contains(schema[parent].children, name) {
				t.Errorf("<%s> inside <%s>", name, parent)
			}
			var have []string
			for _, a := range tok.Attr {
				have = append(have, a.Name.Local)
				if !slices.Contains(schema[name].required, a.Name.Local) && !slices.Contains(schema[name].optional, a.Name.Local) {
					t.Errorf("<%s %s>", name, a.Name.Local)
				}
			}
			for _, a := range schema[name].required {
				if !slices.Contains(have, a) {
					t.Errorf("<%s> without %s", name, a)
				}
			}
			path = append(path, name)
		case xml.EndElement:
			path = path[:len(path)-1]
		}
	}
}

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
	validate(t, out.Bytes())
	const want = `<testsuite name="torture" tests="4" failures="1" errors="1" skipped="1" time="1.500">`
	if !strings.Contains(out.String(), want) {
		t.Errorf("no %s in\n%s", want, out.String())
	}
}

func TestJUnitOfHostileStrings(t *testing.T) {
	shape := broken()
	shape.Hostile = hostile
	run, res, _ := shape.Make()
	for exit := range 5 {
		run.Exit = exit
		var out bytes.Buffer
		if err := report.JUnit(&out, report.Cases(run, res)); err != nil {
			t.Fatal(err)
		}
		validate(t, out.Bytes())
		if strings.ContainsAny(out.String(), "\x1b\x00\u202e") {
			t.Errorf("exit %d: control characters in the file", exit)
		}
	}
}
