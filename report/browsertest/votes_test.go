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

// recorded returns the report of a run of testdata, with its traffic. redlock-votes is redlock
// with two clients, whose first holds the lock while the clocks of three of the five servers
// jump by a TTL; clock-jump and gc-pause are plays of these scenarios.
func recorded(t *testing.T, name string) (address string) {
	t.Helper()
	path := t.TempDir()
	if err := os.CopyFS(path, os.DirFS(filepath.Join("testdata", name))); err != nil {
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
	address := recorded(t, "redlock-votes")
	for _, width := range []int64{1280, 390} {
		b := open(t, address, chromedp.EmulateViewport(width, 844))
		b.wait(t, `T.ready > 0`)
		labels := strings.ReplaceAll(strings.Join(value[[]string](t, b, drawing), "\n"), "\u00a0", " ")
		for want, count := range map[string]int{
			"\n5 of 5 OK\n": 1,
			"\nredis-1 nil, redis-2 nil, redis-3 OK (its clock +0.497 s), redis-4 OK (its clock +0.497 s), redis-5 OK (its clock +0.497 s) → 3 of 5\n": 1,
			"\nwhat remained of these votes when c2 was granted the lock: redis-1 kept (nil to c2), redis-2 kept (nil to c2), redis-3 gone (OK to c2, its clock +0.497 s), " +
				"redis-4 gone (OK to c2, its clock +0.497 s), redis-5 gone (OK to c2, its clock +0.497 s) → 2 of 5 kept\n": 1,
			"\n5 of 5: OK to SET lock:counter … NX PX 500":                    1,
			"\nredis-1, redis-2: nil to SET lock:counter … NX PX 500":         1,
			"\nredis-3, redis-4, redis-5: OK to SET lock:counter … NX PX 500": 1,
			"clocks of redis-3, redis-4, redis-5":                             1,
			"lifeline 5 servers":                                              1,
		} {
			if got := strings.Count(labels, want); got != count {
				t.Errorf("%q is there %d times, want %d, in\n%s", want, got, count, labels)
			}
		}
		for _, found := range value[[]string](t, b, collisions) {
			t.Errorf("%d: %s", width, found)
		}
		fits(t, b, "the page", width)
		b.do(t, chromedp.ScrollIntoView(chromedp.CSS(".sequence")))
		b.shot(t, "votes-"+number(float64(width)))
	}
}

// told is the words of the visible drawing of a scripted run, a line each, and the names of its
// lifelines.
const told = `(() => { const svg = [...document.querySelectorAll(".story svg")].find((s) => s.getBoundingClientRect().width > 0);
  return [...svg.querySelectorAll("text.label:not(.time)")].map((l) => l.textContent).concat([...svg.querySelectorAll("text.head")].map((l) => "lifeline " + l.textContent)); })()`

// TestMessagesAreTold: the drawings of two scenarios, played on real servers, have what
// clients and servers said. In clock-jump both clients have three votes of five, and share one
// server, whose clock was moved; in gc-pause, Kleppmann's first drawing, one follows the SET,
// its reply, the stop, the expiry and the second SET.
func TestMessagesAreTold(t *testing.T) {
	for name, rows := range map[string][]string{
		"clock-jump": {
			"OK", "OK", "OK", "c1: SET lock:clock-jump p0:… NX PX 5000", "redis-1 OK, redis-2 OK, redis-3 OK, redis-4 not asked, redis-5 not asked → 3 of 5", "granted, lease 1", "clocks of redis-3 tell +6.000 s",
			"OK", "OK", "OK", "c2: SET lock:clock-jump p1:… NX PX 5000", "redis-1 not asked, redis-2 not asked, redis-3 OK (its clock +6.000 s), redis-4 OK, redis-5 OK → 3 of 5",
			"what remained of these votes when c2 was granted the lock: redis-1 kept (seen at", "redis-3 gone (OK to c2, its clock +6.000 s) → 2 of 3", "kept", "granted, lease 2", "double-grant",
		},
		"gc-pause": {
			"SET lock:gc-pause p0:… NX PX 2000", "OK", "granted, lease 1", "read counter = 0", "stopped", "lease 1 ends", "the key of c1's lease 1 expires, as its last probe predicted",
			"SET lock:gc-pause p1:… NX PX 2000", "OK", "granted, lease 2", "write counter = 1", "resumes its work", "write counter = 1", "lost-update",
		},
	} {
		address := recorded(t, name)
		for _, width := range []int64{1280, 390} {
			b := open(t, address, chromedp.EmulateViewport(width, 844))
			b.wait(t, `T.ready > 0`)
			labels := strings.ReplaceAll(strings.Join(value[[]string](t, b, told), "\n"), "\u00a0", " ")
			if width < 700 { // labels have their time before them, and are folded
				labels = strings.Join(strings.Fields(labels), " ")
			}
			rest := labels
			for _, want := range rows {
				_, after, ok := strings.Cut(rest, want)
				if !ok {
					t.Errorf("%s, %d: no %q after what came before it in\n%s", name, width, want, labels)
					break
				}
				rest = after
			}
			if got := value[seen](t, b, look); len(got.Outside) > 0 || len(got.Arrows) < 8 {
				t.Errorf("%s, %d: %d arrows; texts stick out of the drawing: %q", name, width, len(got.Arrows), got.Outside)
			}
			fits(t, b, name, width)
			b.shot(t, "messages-"+name+"-"+number(float64(width)))
		}
	}
}
