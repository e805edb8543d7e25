package browsertest

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// cut names what a reader cannot see on a screen: elements that stick out, if they are in
// nothing that can be scrolled and shows it; texts that are cut off in their own box; and, on a
// desk, tables and drawings that are wider than the page at all.
const cut = `(() => {
  const found = [], name = (e) => e.tagName + "#" + e.id + "." + (e.className.baseVal ?? e.className) + " " + (e.textContent || "").trim().slice(0, 30);
  const scrolls = (e) => { const c = e.closest(".scroll"), s = c && getComputedStyle(c); return c && s.overflowX === "auto" && s.backgroundImage.includes("gradient"); };
  for (const e of document.querySelectorAll("body *")) {
    if (!e.checkVisibility() || e.closest(".sr, .skip, .u-legend, defs, .patterns")) continue;
    const r = e.getBoundingClientRect();
    if (!r.width || !r.height) continue;
    if ((r.right > innerWidth + 1 || r.left < -1) && !scrolls(e)) found.push("sticks out: " + name(e));
    const s = getComputedStyle(e);
    if (s.overflowX !== "visible" && s.overflowX !== "auto" && e.scrollWidth > e.clientWidth + 1 && e.clientWidth) found.push("cut off: " + name(e));
  }
  if (document.documentElement.scrollWidth > innerWidth) found.push("the page is " + document.documentElement.scrollWidth + " wide");
  if (innerWidth >= 1280)
    for (const e of document.querySelectorAll(".scroll:not(.many)"))
      if (e.checkVisibility() && e.scrollWidth > e.clientWidth + 1) found.push("wider than a desk by " + (e.scrollWidth - e.clientWidth) + ": " + (e.getAttribute("aria-label") || name(e)));
  return found.slice(0, 12);
})()`

// fits fails if something of a page is cut off on its screen.
func fits(t *testing.T, b *tab, page string, width int64) {
	t.Helper()
	for _, found := range value[[]string](t, b, cut) {
		t.Errorf("%s at %d: %s", page, width, found)
	}
}

// everyScreen opens a page on a desk and on a phone, light and dark. It fails where something
// is cut off.
func everyScreen(t *testing.T, name, address, ready string) {
	t.Helper()
	for _, width := range []int64{1280, 390} {
		for _, scheme := range []string{"light", "dark"} {
			b := open(t, address, chromedp.EmulateViewport(width, 844), colours(scheme))
			b.wait(t, ready)
			fits(t, b, name, width)
			b.shot(t, name+"-"+scheme+"-"+number(float64(width)))
		}
	}
}
