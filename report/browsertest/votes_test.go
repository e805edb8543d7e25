package browsertest

import (
	"compress/gzip"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"locktorture/registry"
	"locktorture/trial"
)

// recorded is the report of a recorded run: redlock with two clients, whose first holds the
// lock while the clocks of three of the five servers jump by a TTL.
func recorded(t *testing.T) (address string) {
	t.Helper()
	path := t.TempDir()
	if err := os.CopyFS(path, os.DirFS(filepath.Join("testdata", "redlock-votes"))); err != nil {
		t.Fatal(err)
	}
	packed, err := os.Open(filepath.Join(path, "wire.bin.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	z, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	wire, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(path, trial.WireFile), wire, 0o644); err != nil {
		t.Fatal(err)
	}
	run, res, dir, err := trial.Again(path, "", registry.Invariant)
	if err != nil {
		t.Fatal(err)
	}
	if err := trial.Write(run, res, dir); err != nil {
		t.Fatal(err)
	}
	return (&url.URL{Scheme: "file", Path: filepath.Join(path, "report.html")}).String()
}

// drawing is the labels of the drawing of the double grant, a line each, and the names of its
// lifelines.
const drawing = `(() => { const svg = [...document.querySelectorAll(".sequence")].find((f) => f.querySelector("h3").textContent === "double-grant").querySelector("svg");
  return [...svg.querySelectorAll(".step .label")].map((l) => [...l.querySelectorAll("tspan")].map((s) => s.textContent).join(" "))
    .concat([...svg.querySelectorAll(".life text")].map((l) => "lifeline " + l.textContent)); })()`

// TestVotesAreDrawn: the drawing of a double grant shows what each server answered to both
// clients, and whose clocks had moved.
func TestVotesAreDrawn(t *testing.T) {
	address := recorded(t)
	for _, width := range []int64{1280, 390} {
		b := open(t, address, chromedp.EmulateViewport(width, 844))
		b.wait(t, `T.ready > 0`)
		labels := strings.ReplaceAll(strings.Join(value[[]string](t, b, drawing), "\n"), "\u00a0", " ")
		for want, count := range map[string]int{
			"\nredis-1 OK, redis-2 OK, redis-3 OK, redis-4 OK, redis-5 OK → 5 of 5\n":                                                                  1,
			"\nredis-1 nil, redis-2 nil, redis-3 OK (its clock +0.497 s), redis-4 OK (its clock +0.497 s), redis-5 OK (its clock +0.497 s) → 3 of 5\n": 1,
			"OK to SET lock:counter … NX PX 500":  8,
			"nil to SET lock:counter … NX PX 500": 2,
			"clocks of redis-3, redis-4, redis-5": 1,
			"lifeline node redis-":                5,
		} {
			if got := strings.Count(labels, want); got != count {
				t.Errorf("%q is there %d times, want %d, in\n%s", want, got, count, labels)
			}
		}
		for _, found := range value[[]string](t, b, collisions) {
			t.Errorf("%d: %s", width, found)
		}
		if got := value[int64](t, b, `document.documentElement.scrollWidth`); got > width {
			t.Errorf("the page is %d pixels wide on a screen of %d: %s", got, width, value[string](t, b, tooWide))
		}
		b.do(t, chromedp.ScrollIntoView(chromedp.CSS(".sequence")))
		b.shot(t, "votes-"+number(float64(width)))
	}
}
