package browsertest

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"locktorture/report/internal/sample"
)

// The page of a million operations must be usable in two seconds. The bound
// is on the page's own scripts, decoding to first picture, and on redrawing;
// how fast the browser reads the file depends on what else the machine does.
func TestAMillionOperationsAreUsable(t *testing.T) {
	address, size := write(t, sample.Shape{Seed: 3, Clients: 20, Sections: 140_000, Locks: 4, Broken: true})
	if size > 15_000_000 {
		t.Errorf("the page has %d bytes", size)
	}
	b := open(t, address, chromedp.EmulateViewport(1280, 900))
	b.wait(t, `T.ready > 0`)
	ready := value[float64](t, b, `T.ready`)
	drawn := value[float64](t, b, `(() => { const t = performance.now(); for (let i = 0; i < 5; i++) T.draw(T.state); return (performance.now() - t) / 5; })()`)
	loaded := value[float64](t, b, `performance.getEntriesByType("navigation")[0].loadEventEnd`)
	t.Logf("%.1f MB: %.0f ms until loaded, of which scripts %.0f ms; %.0f ms to draw all of it", float64(size)/1e6, loaded, ready, drawn)
	if ready > 2000 {
		t.Errorf("the scripts took %.0f ms", ready)
	}
	if drawn > 400 {
		t.Errorf("drawing all of it takes %.0f ms", drawn)
	}
	b.shot(t, "million")
	b.do(t, chromedp.Click(chromedp.CSS("#tl-next")))
	b.wait(t, `T.state.anomaly === 1 && !T.state.queued`)
	b.do(t, chromedp.Click(chromedp.CSS("#tl-list summary")))
	b.wait(t, `document.querySelectorAll("#tl-list tbody tr").length > 5`)
	b.shot(t, "million-zoomed")
}

func TestHostileStringsAreText(t *testing.T) {
	shape := broken()
	shape.Hostile = `<script>document.title="pwned"</script><img src=x onerror="document.title='pwned'">"'` + "`</title></svg>-->\x1b[2J\u202e" + strings.Repeat("A", 10_000)
	address, _ := write(t, shape)
	for _, width := range []int64{1280, 390} {
		b := open(t, address, chromedp.EmulateViewport(width, 844))
		b.wait(t, `T.ready > 0`)
		b.do(t, chromedp.Click(chromedp.CSS("#anomaly-1 button.jump")))
		b.wait(t, `T.state.anomaly === 1`)
		b.do(t, chromedp.Click(chromedp.CSS("#tl-list summary")))
		b.wait(t, `document.querySelectorAll("#tl-list tbody tr").length > 3`)
		if title := value[string](t, b, `document.title`); !strings.HasPrefix(title, "unsafe – redlock<script>") {
			t.Errorf("the title is %.80q", title)
		}
		if n := value[int](t, b, `document.querySelectorAll("img, iframe, object, script:not([type]):not(:last-of-type)").length`); n > 0 {
			t.Errorf("%d elements came out of strings", n)
		}
		if got := value[int64](t, b, `document.documentElement.scrollWidth`); got > width {
			t.Errorf("the page is %d pixels wide on a screen of %d: %s", got, width, value[string](t, b, tooWide))
		}
		b.shot(t, "hostile-"+number(float64(width)))
	}
}
