package browsertest

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"

	"locktorture/report/internal/sample"
)

// What the page of a million operations may cost, as multiples of a plain pass over its data in
// the same browser, so that a slow machine is no failure. On a machine where a pass takes 45 ms
// the page is then usable after less than two seconds; it needs 12 to 15 passes, and 2.1 to 2.6.
const (
	readyPasses = 40 // until it can be used
	drawnPasses = 9  // to draw all of it
)

// The page of a million operations must be usable at once. What counts is the processor time of
// the page's main thread.
func TestAMillionOperationsAreUsable(t *testing.T) {
	address, size := write(t, sample.Shape{Seed: 3, Clients: 20, Sections: 140_000, Locks: 4, Broken: true})
	if size > 15_000_000 {
		t.Errorf("the page has %d bytes", size)
	}
	b := open(t, address, threadTime(), chromedp.EmulateViewport(1280, 900))
	b.wait(t, `T.ready > 0`)
	ready := busy(t, b)
	const draws = 5
	b.do(t, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := chromedp.Evaluate[bool](`(() => { for (let i = 0; i < 5; i++) T.draw(T.state); return true; })()`)(ctx, target)
		return err
	}))
	drawn := (busy(t, b) - ready) / draws
	before := busy(t, b)
	if n := value[int](t, b, plainPass); n == 0 {
		t.Fatal("the page has no data")
	}
	pass := (busy(t, b) - before) / passes
	loaded := value[float64](t, b, `performance.getEntriesByType("navigation")[0].loadEventEnd`)
	t.Logf("%.1f MB: busy for %.2f s until it can be used, loaded after %.2f s; %.3f s to draw all of it; a plain pass over its data %.3f s, ratios %.1f and %.1f", float64(size)/1e6, ready, loaded/1e3, drawn, pass, ready/pass, drawn/pass)
	if ready <= 0 || ready > readyPasses*pass {
		t.Errorf("the page is busy for %.2f s before it can be used, %.1f plain passes over its data, want at most %d", ready, ready/pass, readyPasses)
	}
	if drawn > drawnPasses*pass {
		t.Errorf("drawing all of it takes %.3f s, %.1f plain passes over its data, want at most %d", drawn, drawn/pass, drawnPasses)
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
		fits(t, b, "the page", width)
		b.shot(t, "hostile-"+number(float64(width)))
	}
}

// threadTime makes the browser measure in processor time.
func threadTime() step {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, performance.Enable, performance.EnableParams{TimeDomain: performance.EnableTimeDomainThreadTicks})
		return err
	})
}

// busy returns the processor time, in seconds, that the page has cost so far.
func busy(t *testing.T, b *tab) float64 {
	t.Helper()
	res := get(t, b, func(ctx context.Context, target *chromedp.Target) (performance.GetMetricsResult, error) {
		return cdp.Call(ctx, target, performance.GetMetrics, cdp.Empty{})
	})
	for _, m := range res.Metrics {
		if m.Name == "TaskDuration" {
			return m.Value
		}
	}
	t.Fatal("the browser does not say how busy it was")
	return 0
}

// passes is how often the yardstick reads the data of the page.
const passes = 5

// plainPass reads the data of a page and looks at each of its characters, and nothing else.
const plainPass = `(() => {
	let seen = 0;
	for (let i = 0; i < 5; i++) {
		const text = document.getElementById("data").textContent;
		JSON.parse(text);
		let hash = 0;
		for (let j = 0; j < text.length; j++) hash = (hash * 31 + text.charCodeAt(j)) | 0;
		seen += hash === 0 ? 0 : text.length;
	}
	return seen;
})()`
