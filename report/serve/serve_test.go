package serve_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktorture/checker"
	"locktorture/report/internal/sample"
	"locktorture/report/serve"
)

// runs makes a directory of three runs, one broken file, one directory that
// is no run and things that lead out of it.
func runs(t *testing.T) string {
	t.Helper()
	top := t.TempDir()
	dir := filepath.Join(top, "runs")
	save := func(path, text string) {
		t.Helper()
		full := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, backend := range map[string]string{"20260101-redlock-1": "redlock", "20260102-etcd-2": "etcd", "20260103-evil-3": sample.Hostile} {
		run, res, _ := sample.Broken().Make()
		run.Backend = backend
		if backend == "etcd" {
			res.Grade, res.Properties, res.Sentence = checker.Safe, nil, "nothing was violated."
		}
		for file, v := range map[string]any{"run.json": run, "result.json": res} {
			b, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			save(name+"/"+file, string(b))
		}
		save(name+"/report.html", "<!doctype html><title>"+name+"</title>")
		save(name+"/nodes/redis-1/redis.log", "<script>alert(1)</script>")
	}
	save("20260104-broken-4/run.json", `{"backend": 7}`)
	save("notes/readme.txt", "no run")
	save("../secret.txt", "secret")
	if err := os.Symlink("../../secret.txt", filepath.Join(dir, "20260101-redlock-1", "link.txt")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("20260103-evil-3", filepath.Join(dir, "latest")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func ask(t *testing.T, h http.Handler, path string) (int, string, http.Header) {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Host = "127.0.0.1:8080"
	before, query, _ := strings.Cut(path, "?")
	r.URL.Path, r.URL.RawQuery = before, query // as it is: nothing cleans it on the way
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, w.Body.String(), w.Result().Header
}

func TestEntriesAreListedAndSelected(t *testing.T) {
	all, err := serve.Entries(runs(t))
	if err != nil {
		t.Fatal(err)
	}
	names := func(list []serve.Entry) []string {
		var out []string
		for _, e := range list {
			out = append(out, strings.SplitN(e.Name, "-", 3)[1])
		}
		return out
	}
	if diff := cmp.Diff([]string{"broken", "evil", "etcd", "redlock"}, names(all)); diff != "" {
		t.Errorf("all (-want +got):\n%s", diff)
	}
	if all[0].Problem == "" || all[0].Grade() != checker.Unknown {
		t.Errorf("a run that cannot be read is %q with problem %q", all[0].Grade(), all[0].Problem)
	}
	for _, c := range []struct {
		q    serve.Query
		want []string
	}{
		{serve.Query{Search: "ETCD"}, []string{"etcd"}},
		{serve.Query{Search: "double-grant seckill redlock"}, []string{"redlock"}},
		{serve.Query{Grade: "safe"}, []string{"etcd"}},
		{serve.Query{Grade: "unknown"}, []string{"broken"}},
		{serve.Query{Sort: "run"}, []string{"redlock", "etcd", "evil", "broken"}},
		{serve.Query{Sort: "-run"}, []string{"broken", "evil", "etcd", "redlock"}},
		{serve.Query{Sort: "grade"}, []string{"evil", "redlock", "broken", "etcd"}},
		{serve.Query{Sort: "no such column"}, []string{"broken", "evil", "etcd", "redlock"}},
		{serve.Query{Search: "nothing has this"}, nil},
	} {
		if diff := cmp.Diff(c.want, names(c.q.Select(all))); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", c.q, diff)
		}
	}
}

func TestHandlerStaysInItsDirectory(t *testing.T) {
	h := serve.Handler(runs(t), nil)
	for _, path := range []string{
		"/runs/../secret.txt", "/runs/20260101-redlock-1/../../secret.txt", "/runs//etc/passwd", "/runs/20260101-redlock-1/link.txt", "/runs/..%2fsecret.txt",
		"/runs/./secret.txt", "/runs/20260101-redlock-1", "/runs/20260101-redlock-1/", "/runs/", "/runs/.", "/runs/20260101-redlock-1/no", "/runs/20260101-redlock-1\\..\\..\\secret.txt", "/secret.txt",
		"/compare?run=../runs/20260101-redlock-1&run=20260102-etcd-2", "/compare?run=20260101-redlock-1/../20260102-etcd-2&run=20260102-etcd-2", "/compare?run=.&run=..",
	} {
		code, body, _ := ask(t, h, path)
		if code == http.StatusOK || strings.Contains(body, "secret\n") || strings.HasPrefix(body, "secret") {
			t.Errorf("%s: %d %.80s", path, code, body)
		}
	}
}

func TestHandlerServesFiles(t *testing.T) {
	h := serve.Handler(runs(t), nil)
	for path, want := range map[string]string{
		"/runs/20260101-redlock-1/report.html":             "text/html; charset=utf-8",
		"/runs/latest/report.html":                         "text/html; charset=utf-8",
		"/runs/20260101-redlock-1/result.json":             "application/json",
		"/runs/20260101-redlock-1/nodes/redis-1/redis.log": "text/plain; charset=utf-8", // though it holds a script
	} {
		code, body, header := ask(t, h, path)
		if code != http.StatusOK || body == "" || header.Get("Content-Type") != want || header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %d %v", path, code, header)
		}
	}
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Host = "attacker.example"
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != http.StatusForbidden {
		t.Errorf("under a foreign name: %d", w.Code)
	}
}

func TestIndexAndComparison(t *testing.T) {
	h := serve.Handler(runs(t), nil)
	code, body, _ := ask(t, h, "/?q=&sort=grade")
	if code != http.StatusOK || !strings.Contains(body, "4 of 4 runs") || strings.Contains(body, "<script") || strings.ContainsAny(body, "\x1b\u202e") {
		t.Errorf("index: %d %.200s", code, body)
	}
	if _, body, _ = ask(t, h, `/?q="><script>alert(1)</script>`); strings.Contains(body, "<script>") {
		t.Error("the search is not escaped")
	}
	code, body, _ = ask(t, h, "/compare?run=20260101-redlock-1&run=20260102-etcd-2")
	for _, want := range []string{"facts differ. Differences are marked and come first.", `<tr class="attention"><th scope="row">backend`, "<td>redlock</td><td>etcd</td>", `<tr><th scope="row">workload</th><td>seckill</td><td>seckill</td>`, "double-grant"} {
		if code != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("comparison: %d, no %s", code, want)
		}
	}
	if code, _, _ = ask(t, h, "/compare?run=20260101-redlock-1"); code != http.StatusBadRequest {
		t.Errorf("one run compared: %d", code)
	}
}
