package browsertest

import (
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// focused is what the keyboard is at, and whether a ring shows it.
const focused = `(() => { const e = document.activeElement; return (e.id || e.getAttribute("href") || e.getAttribute("aria-label") || e.textContent.trim().slice(0, 30)) + (getComputedStyle(e).outlineStyle === "none" ? " without a ring" : ""); })()`

// TestKeyboardReachesAll: the tabulator goes from the skip link over the sections to every
// control, in the order of the page, and each shows that it is there.
func TestKeyboardReachesAll(t *testing.T) {
	address, _ := write(t, broken())
	b := open(t, address, chromedp.EmulateViewport(1280, 900))
	b.wait(t, `T.ready > 0`)
	controls := value[int](t, b, `[...document.querySelectorAll("a[href], button, select, input, summary, [tabindex='0']")].filter((e) => !e.disabled && e.checkVisibility()).length`)
	var order []string
	for range controls {
		b.do(t, chromedp.KeyEvent(kb.Tab))
		at := value[string](t, b, focused)
		if strings.HasSuffix(at, " without a ring") {
			t.Errorf("nothing shows that the keyboard is at %s", at)
		}
		order = append(order, at)
	}
	want := []string{"#properties", "#incidents", "f-client", "tl-canvas"}
	from := 0
	for _, w := range want {
		i := slices.Index(order[from:], w)
		if i < 0 {
			t.Fatalf("the tabulator does not come to %s after %q: %q", w, order[:from], order)
		}
		from += i
	}
	if order[0] != "#properties" {
		t.Errorf("the first stop is %s, want the skip link", order[0])
	}
	b.do(t, chromedp.KeyEvent(kb.Tab))
	if at := value[string](t, b, `document.activeElement.tagName`); at != "BODY" && at != "A" {
		t.Errorf("after %d stops the keyboard is at a %s: one was visited twice, or not at all", controls, at)
	}
}

// TestKeyboardToggles: what folds and what is ticked does so with the keys, and the skip link
// leads to the properties.
func TestKeyboardToggles(t *testing.T) {
	address, _ := write(t, broken())
	b := open(t, address, chromedp.EmulateViewport(1280, 900))
	b.wait(t, `T.ready > 0`)
	b.do(t, chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent(kb.Enter))
	b.wait(t, `location.hash === "#properties"`)
	for selector, open := range map[string]string{
		"#anomaly-1 details":        `document.querySelector("#anomaly-1 details").open`,
		".sequence details":         `document.querySelector(".sequence details").open`,
		"#tl-list":                  `document.querySelector("#tl-list").open`,
		"footer details":            `document.querySelector("footer details").open`,
		`input[data-kind="hold"]`:   `!T.state.filter.kinds.hold`,
		`input[data-kind="wait"]`:   `!T.state.filter.kinds.wait`,
		`input[data-kind="beyond"]`: `!T.state.filter.kinds.beyond`,
	} {
		at, key := selector, " "
		if !strings.HasPrefix(selector, "input") {
			at, key = selector+" summary", kb.Enter
		}
		before := value[bool](t, b, open)
		b.do(t, chromedp.Focus(chromedp.CSS(at)), chromedp.KeyEvent(key))
		b.wait(t, open+` === `+map[bool]string{true: "false", false: "true"}[before])
	}
	b.do(t, chromedp.Focus(chromedp.CSS("#anomaly-2 button.jump")), chromedp.KeyEvent(kb.Enter))
	b.wait(t, `T.state.anomaly === 2 && document.activeElement.id === "tl-canvas"`)
}
