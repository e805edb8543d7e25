package browsertest

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"locktorture/report/serve"
)

// attack is a stranger's report: it tries by every way to read another run and to have it
// judged, and then says in its title that it has tried, and what it got.
const attack = `<!doctype html><title>foreign</title><body><script>
const other = "/runs/20260102-150405-redlock-8/run.json", got = [];
const tries = {
  fetch: () => fetch(other).then(r => r.text()),
  opaque: () => fetch(other + "?opaque", {mode: "no-cors"}).then(() => "sent"),
  judge: () => fetch("/check", {method: "POST", body: new URLSearchParams({check: "20260102-150405-redlock-8"})}).then(r => "status " + r.status),
  xhr: () => new Promise((yes, no) => { const x = new XMLHttpRequest(); x.onload = () => yes(x.responseText); x.onerror = no; x.open("GET", other + "?xhr"); x.send(); }),
  storage: () => localStorage.length,
  cookie: () => { document.cookie = "a=b"; return document.cookie; },
  frame: () => new Promise((yes, no) => { const f = document.createElement("iframe"); f.src = other + "?frame"; f.onload = () => { try { yes(f.contentDocument.body.textContent) } catch (e) { no(e) } }; f.onerror = no; document.body.append(f); setTimeout(no, 500); }),
  script: () => new Promise((yes, no) => { const s = document.createElement("script"); s.src = other + "?script"; s.onload = () => yes("loaded"); s.onerror = no; document.body.append(s); }),
  image: () => new Promise((yes, no) => { const i = new Image(); i.onload = () => yes("loaded"); i.onerror = no; i.src = other + "?image"; setTimeout(no, 500); }),
  popup: () => { if (!open(other + "?popup")) throw "none"; return "open"; },
  worker: () => new Promise((yes, no) => { const w = new Worker(other + "?worker"); w.onerror = no; setTimeout(no, 500); }),
  form: () => new Promise((yes, no) => { const f = document.createElement("form"); f.method = "post"; f.action = "/check"; f.target = "_blank"; f.innerHTML = "<input name=check value=20260102-150405-redlock-8>"; document.body.append(f); f.submit(); setTimeout(no, 500); }),
};
(async () => {
  for (const name in tries) { try { const v = await tries[name](); if (v) got.push(name + ": " + v); } catch {} }
  document.title = "tried " + Object.keys(tries).length + "; " + (got.join("; ") || "nothing");
})();
</script>`

// TestForeignReportHasNoPowers: a report that a stranger has written runs its scripts, and
// they reach nothing: no other run, no judge, no storage. Nor does a page hide in another
// file.
func TestForeignReportHasNoPowers(t *testing.T) {
	dir := directory(t)
	const own, foreign = "20260102-150405-redlock-8", "20260104-150405-stranger-1"
	if err := os.WriteFile(filepath.Join(dir, own, "history.jsonl"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{
		"run.json": `{"name":"` + foreign + `"}`, "report.html": attack, "nodes/redis.log": attack, "result.json": attack, "page.html": attack, "picture.svg": attack,
		"junit.xml": `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>xml</title></head><body><script>document.title = "tried"</script></body></html>`,
	} {
		path := filepath.Join(dir, foreign, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var mu sync.Mutex
	var asked []string
	inner := serve.Handler(dir, func(string) error { t.Error("a run was judged"); return nil })
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked = append(asked, r.Method+" "+r.URL.String())
		mu.Unlock()
		inner.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	b := open(t, server.URL+"/runs/"+foreign+"/report.html")
	b.wait(t, `document.title.startsWith("tried")`)
	if title := value[string](t, b, `document.title`); title != "tried 12; nothing" {
		t.Errorf("the foreign page %s", title)
	}
	for _, file := range []string{"junit.xml", "nodes/redis.log", "result.json", "page.html", "picture.svg"} {
		b.do(t, chromedp.Navigate(server.URL+"/runs/"+foreign+"/"+file))
		b.wait(t, `document.readyState === "complete"`)
		if title := value[string](t, b, `document.title || ""`); strings.Contains(title, "tried") {
			t.Errorf("%s ran its script", file)
		}
	}
	mu.Lock()
	if others := slices.DeleteFunc(asked, func(a string) bool { return strings.HasPrefix(a, "GET /runs/"+foreign+"/") || a == "GET /favicon.ico" }); len(others) > 0 {
		t.Errorf("the foreign pages reached the server with %q", others)
	}
	mu.Unlock()
	b.forgive() // the browser told each of the things that it refused
	// The harness's own report still works under the policy.
	b = open(t, server.URL+"/runs/"+own+"/report.html")
	b.wait(t, `T.ready > 0`)
}
