package browsertest

import (
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"locktorture/ledger"
	"locktorture/registry"
	"locktorture/site"
)

// TestSiteFromAFolder opens the site of this repository's ledger from a folder: nothing is cut off on any screen, the
// filters find what they are asked for, and a cell leads to its runs.
func TestSiteFromAFolder(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	s, err := site.Make(site.Config{Root: root, Ledger: filepath.Join(root, ledger.Dir), Locks: registry.Locks()})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := s.Write(dir); err != nil {
		t.Fatal(err)
	}
	at := func(page string) string {
		path, fragment, _ := strings.Cut(page, "#")
		return (&url.URL{Scheme: "file", Path: filepath.Join(dir, path), Fragment: fragment}).String()
	}
	const styled = `getComputedStyle(document.querySelector("nav")).display === "flex"` // the rules of style.css
	for _, width := range []int64{1280, 390} {
		for _, scheme := range []string{"light", "dark"} {
			b := open(t, at("index.html"), chromedp.EmulateViewport(width, 844), colours(scheme))
			for _, page := range []string{"index.html", "locks/redis-set.html", "faults/clock.html", "findings/redsync-late-set.html"} {
				b.do(t, chromedp.Navigate(at(page)))
				b.wait(t, styled)
				fits(t, b, page, width)
				b.shot(t, "site-"+filepath.Base(page)+"-"+scheme+"-"+number(float64(width)))
			}
		}
	}
	b := open(t, at("index.html"), chromedp.EmulateViewport(1280, 844))
	shown := `[...document.querySelectorAll("#matrix tbody tr")].filter(r => !r.hidden).map(r => r.dataset.name).join()`
	b.do(t, chromedp.SendKeys(chromedp.CSS("#f-name"), "redis-setn"), chromedp.Click(chromedp.CSS("#f-all")))
	b.wait(t, shown+` === "redis-setnx,redis-setnx-expire" && location.hash === "#name=redis-setn&all=1"`)
	b.do(t, chromedp.Navigate(at("faults/pause.html")), chromedp.Navigate(at("index.html#state=unsafe")))
	b.wait(t, `document.querySelector("#matrix tbody tr:not([hidden])").dataset.name === "redis-set"`)
	b.do(t, chromedp.Click(chromedp.CSS("#matrix tbody tr:not([hidden]) td a")))
	b.wait(t, `location.pathname.endsWith("/locks/redis-set.html") && document.querySelector(":target pre").textContent.startsWith("torture run --backend redis-set ")`)
	b.do(t, chromedp.Navigate(at("index.html#fault=clock")))
	b.wait(t, `document.querySelectorAll("#matrix thead th:not([hidden])").length === 2`)
}
