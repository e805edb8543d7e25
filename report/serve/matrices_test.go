package serve_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locktorture/report/serve"
)

// results returns a directory of runs and one of matrices beside it: one with a table, one that
// was killed, a link to one elsewhere, and a directory that is none.
func results(t *testing.T) string {
	t.Helper()
	top := filepath.Join(t.TempDir(), "results")
	if err := os.CopyFS(filepath.Join(top, "runs"), os.DirFS(justRuns(t))); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		"matrix/night/cells.jsonl":            "{}\n",
		"matrix/night/index.html":             `<!doctype html><a href="runs/a/report.html">card</a>`,
		"matrix/night/matrix.json":            `{"schema":1,"start":"2026-01-02T03:04:05Z","exit":1,"rows":[{"backend":"none","seeds":1,"grade":"unsafe"},{"backend":"local","state":"not run"}]}`,
		"matrix/night/runs/a/run.json":        `{"backend":"none"}`,
		"matrix/night/runs/a/report.html":     "<!doctype html>report of a",
		"matrix/night/runs/a/history.jsonl":   "",
		"matrix/killed & cut/cells.jsonl":     "",
		"matrix/killed & cut/runs/b/run.json": `{"backend":"etcd"}`,
		"matrix/notes/readme.txt":             "no matrix",
		"../elsewhere/cells.jsonl":            "",
		"../elsewhere/index.html":             "secret",
		"../elsewhere/runs/c/run.json":        `{"backend":"secret"}`,
	} {
		full := filepath.Join(top, path)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../../elsewhere", filepath.Join(top, "matrix", "linked")); err != nil {
		t.Fatal(err)
	}
	return top
}

// justRuns returns the runs without the links, which cannot be copied.
func justRuns(t *testing.T) string {
	t.Helper()
	dir := runs(t)
	for _, link := range []string{"latest", "20260101-redlock-1/link.txt"} {
		if err := os.Remove(filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestMatricesAreFound: whatever of the results is served, their matrices are shown, each with
// its page and its runs.
func TestMatricesAreFound(t *testing.T) {
	top := results(t)
	for _, of := range []string{"", "runs", "matrix"} {
		h := serve.Handler(filepath.Join(top, of), nil)
		code, body, _ := ask(t, h, "/")
		for _, want := range []string{`<a href="/matrix/night/index.html">night</a>: 2 cells of 2 locks: 1 unsafe, 1 not run, 2026-01-02 03:04`,
			`<a href="/matrix/night/">its runs</a>`, `<a href="/matrix/killed%20&amp;%20cut/index.html">killed &amp; cut</a>: no table yet`} {
			if code != http.StatusOK || !strings.Contains(body, want) {
				t.Errorf("of %q: no %s:\n%s", of, want, body)
			}
		}
		if strings.Contains(body, "linked") || strings.Contains(body, "notes") || strings.Contains(body, "elsewhere") {
			t.Errorf("of %q: it shows what is no matrix:\n%s", of, body)
		}
		for path, want := range map[string]string{
			"/matrix/night/":                    `<a href="/matrix/night/runs/a/report.html">a</a>`,
			"/matrix/night/index.html":          "card",
			"/matrix/night/runs/a/report.html":  "report of a",
			"/matrix/killed & cut/":             `href="/matrix/killed%20&amp;%20cut/runs/b/run.json"`,
			"/matrix/night/compare?run=a&run=a": "No difference.",
		} {
			if code, body, _ := ask(t, h, path); code != http.StatusOK || !strings.Contains(body, want) {
				t.Errorf("of %q: %s: %d, no %s:\n%.2000s", of, path, code, want, body)
			}
		}
		for _, path := range []string{"/matrix/linked/", "/matrix/linked/index.html", "/matrix/notes/", "/matrix/no/", "/matrix/../runs/", "/matrix/killed & cut/index.html", "/index.html",
			"/matrix/night/runs/../cells.jsonl", "/matrix/night/cells.jsonl"} {
			if code, body, _ := ask(t, h, path); code == http.StatusOK || strings.Contains(body, "secret") {
				t.Errorf("of %q: %s: %d %.80s", of, path, code, body)
			}
		}
	}
}

// TestMatrixIsServed: the directory of a matrix shows its page, whose links lead to the
// reports, and its runs.
func TestMatrixIsServed(t *testing.T) {
	var judged string
	dir := filepath.Join(results(t), "matrix", "night")
	h := serve.Handler(dir, func(path string) error { judged = path; return nil })
	_, body, _ := ask(t, h, "/")
	for _, want := range []string{"<h1>Matrix night</h1>", `<a href="/index.html">The score card of this matrix</a>`, `<a href="/runs/a/report.html">a</a>`, "1 of 1 runs"} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s:\n%s", want, body)
		}
	}
	code, body, header := ask(t, h, "/index.html")
	if code != http.StatusOK || !strings.Contains(body, `href="runs/a/report.html"`) || header.Get("Content-Type") != "text/html; charset=utf-8" ||
		!strings.HasPrefix(header.Get("Content-Security-Policy"), "sandbox ") {
		t.Errorf("the page: %d %v %s", code, header, body)
	}
	r := httptest.NewRequest(http.MethodPost, "/check", strings.NewReader(url.Values{"check": {"a"}}.Encode()))
	r.Host, r.RemoteAddr = "127.0.0.1:8080", "127.0.0.1:40000"
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, r); w.Code != http.StatusOK || judged != filepath.Join(dir, "runs", "a") {
		t.Errorf("judged %q: %d", judged, w.Code)
	}
}
