package serve_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locktorture/checker"
	"locktorture/report/serve"
)

// TestRunIsJudgedAgain: the old verdict and the new one stand side by side.
func TestRunIsJudgedAgain(t *testing.T) {
	dir := runs(t)
	var judged []string
	h := serve.Handler(dir, func(path string) error {
		judged = append(judged, path)
		b, err := json.Marshal(checker.Result{Grade: checker.Safe, Sentence: "all is well now"})
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(path, "result.json"), b, 0o644)
	})
	code, body := post(h, "20260101-redlock-1", nil)
	if code != http.StatusOK || len(judged) != 1 || judged[0] != filepath.Join(dir, "20260101-redlock-1") {
		t.Fatalf("%d, judged %q: %.200s", code, judged, body)
	}
	for _, want := range []string{"Judged again: 20260101-redlock-1", `<tr class="attention"><th scope="row">grade`, "<td>unsafe</td><td>safe</td>", "all is well now"} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s on the page", want)
		}
	}
}

// TestWhoMayHaveARunJudged: nobody but a page of this server, on this machine,
// and no run that is not one of the directory.
func TestWhoMayHaveARunJudged(t *testing.T) {
	dir := runs(t)
	if err := os.Symlink("../../secret.txt", filepath.Join(dir, "20260102-etcd-2", "history.jsonl")); err != nil {
		t.Fatal(err)
	}
	h := serve.Handler(dir, func(path string) error { t.Errorf("%s was judged", path); return nil })
	const run = "20260101-redlock-1"
	for _, c := range []struct {
		why, name string
		change    func(*http.Request)
		want      int
	}{
		{"a page of another server", run, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }, http.StatusForbidden},
		{"another port of this machine", run, func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:9999") }, http.StatusForbidden},
		{"a foreign name for this address", run, func(r *http.Request) { r.Host = "attacker.example" }, http.StatusForbidden},
		{"another machine", run, func(r *http.Request) { r.RemoteAddr = "192.0.2.7:40000" }, http.StatusForbidden},
		{"a link that is asked for", run, func(r *http.Request) { r.Method = http.MethodGet }, http.StatusMethodNotAllowed},
		{"outside of the directory", "../runs/" + run, nil, http.StatusNotFound},
		{"a link to a run", "latest", nil, http.StatusNotFound},
		{"a history that is a link", "20260102-etcd-2", nil, http.StatusNotFound},
		{"no run", "notes", nil, http.StatusNotFound},
		{"nothing", "", nil, http.StatusNotFound},
	} {
		if code, body := post(h, c.name, c.change); code != c.want {
			t.Errorf("%s: %d %.80s, want %d", c.why, code, body, c.want)
		}
	}
	failing := serve.Handler(dir, func(string) error { return errors.New("<b>no history") })
	if code, body := post(failing, run, nil); code != http.StatusUnprocessableEntity || !strings.Contains(body, "no history") {
		t.Errorf("a history that cannot be read: %d %s", code, body)
	}
	if code, _ := post(serve.Handler(dir, nil), run, nil); code == http.StatusOK {
		t.Error("judged without a judge")
	}
}

// post asks for a run to be judged as the index does.
func post(h http.Handler, name string, change func(*http.Request)) (int, string) {
	r := httptest.NewRequest(http.MethodPost, "/check", strings.NewReader(url.Values{"check": {name}}.Encode()))
	r.Host, r.RemoteAddr = "127.0.0.1:8080", "127.0.0.1:40000"
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", "http://127.0.0.1:8080")
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}
