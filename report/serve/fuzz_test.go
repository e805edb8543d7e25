package serve_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locktorture/checker"
	"locktorture/history"
	"locktorture/report"
	"locktorture/report/internal/sample"
	"locktorture/report/page"
	"locktorture/report/serve"
)

// FuzzRunFiles: whatever stands in the run.json and the result.json of a stranger's run, the
// index and the comparison are whole pages without a script, and each report that can be made
// of them is one.
func FuzzRunFiles(f *testing.F) {
	run, res, _ := sample.Broken().Make()
	a, err := json.Marshal(run)
	if err != nil {
		f.Fatal(err)
	}
	b, err := json.Marshal(res)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(a, b[:min(len(b), 8<<10)])
	for _, pair := range [][2]string{
		{`{}`, `{}`}, {`{"backend":"<script>alert(1)</script>","nemeses":[""],"duration":-1,"start":"0001-01-01T00:00:00Z"}`, `{"grade":"\u202e"}`},
		{`null`, `null`}, {`[]`, `"x"`}, {`{"options":{"ttl":9223372036854775807,"free_within":-1}}`, `{"properties":[{"name":"exclusion","anomalies":[{"kind":"x","time":-9223372036854775808}]}]}`},
	} {
		f.Add([]byte(pair[0]), []byte(pair[1]))
	}
	dir := f.TempDir()
	const name = "20260101-fuzzed-1"
	if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
		f.Fatal(err)
	}
	h := serve.Handler(dir, nil)
	f.Fuzz(func(t *testing.T, runFile, resultFile []byte) {
		for file, text := range map[string][]byte{"run.json": runFile, "result.json": resultFile} {
			if err := os.WriteFile(filepath.Join(dir, name, file), text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		for _, path := range []string{"/", "/?q=a&sort=grants", "/compare?run=" + name + "&run=" + name} {
			code, body, _ := ask(t, h, path)
			if code != http.StatusOK || strings.Contains(body, "<script") || !strings.HasSuffix(strings.TrimSpace(body), "</html>") {
				t.Errorf("%s: %d %.200q", path, code, body)
			}
		}
		var run report.Run
		var res checker.Result
		if json.Unmarshal(runFile, &run) != nil || json.Unmarshal(resultFile, &res) != nil {
			return
		}
		var text, html, junit bytes.Buffer
		if err := errors.Join(report.Text(&text, run, res, report.Look{Width: 80, Color: true}), page.Write(&html, run, res, history.History{}), report.JUnit(&junit, report.Cases(run, res))); err != nil {
			t.Fatal(err)
		}
		if strings.Count(html.String(), "<script") != strings.Count(html.String(), "</script") {
			t.Error("the report has a script too many")
		}
		wellFormed(t, &junit)
	})
}

func wellFormed(t *testing.T, r io.Reader) {
	t.Helper()
	d := xml.NewDecoder(r)
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("no XML: %v", err)
		}
	}
}
