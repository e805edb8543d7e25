package browsertest

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// collisions are what a label of a drawing meets, in pixels of the screen: a lifeline, another
// label, or the edge of its drawing.
const collisions = `(() => {
  const box = (e) => e.getBoundingClientRect(), found = [];
  let labels = 0;
  for (const svg of document.querySelectorAll(".sequence svg")) {
    const lines = [...svg.querySelectorAll(".life line")].map((e) => box(e).left);
    const boxes = [...svg.querySelectorAll(".step .label tspan, .step .time")].map((e) => [e.textContent, box(e)]);
    labels += boxes.length;
    boxes.forEach(([text, a], i) => {
      for (const x of lines) if (a.left < x && x < a.right) found.push(text + " meets a lifeline");
      for (const [other, b] of boxes.slice(i + 1))
        if (a.left < b.right && b.left < a.right && a.top + 2 < b.bottom && b.top + 2 < a.bottom) found.push(text + " meets " + other);
      if (a.right > box(svg).right || a.left < box(svg).left) found.push(text + " is cut off");
    });
  }
  return labels < 20 ? ["only " + labels + " labels"] : found;
})()`

// TestDrawingsAreLegible: labels collide with nothing on a desk, on a phone and on paper. A
// step tells its exact time when the pointer rests on it.
func TestDrawingsAreLegible(t *testing.T) {
	address, _ := write(t, broken())
	for _, width := range []int64{1280, 390} {
		b := open(t, address, chromedp.EmulateViewport(width, 844))
		b.wait(t, `T.ready > 0`)
		for _, found := range value[[]string](t, b, collisions) {
			t.Errorf("%d: %s", width, found)
		}
		if !value[bool](t, b, `[...document.querySelectorAll(".sequence .step")].every((s) => /^\d+\.\d{9} s$/.test(s.querySelector("title").textContent) && /^\d+\.\d{3} s$/.test(s.querySelector(".time").textContent))`) {
			t.Error("a step has no time to the millisecond, or no exact one for the pointer")
		}
	}
}

// paper is how wide a sheet of A4 is between its margins, in pixels of a page.
const paper = 718

// TestPrintedPageIsWhole: nothing is beyond the edge of the paper, and no drawing scrolls
// there.
func TestPrintedPageIsWhole(t *testing.T) {
	address, _ := write(t, broken())
	b := open(t, address, chromedp.EmulateViewport(paper, 1000))
	b.wait(t, `T.ready > 0`)
	b.do(t, media("print"))
	cut := value[[]string](t, b, `(dispatchEvent(new Event("beforeprint")), [...document.querySelectorAll(".sequence svg, header, .card, .chart")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.tagName + "." + e.className))`)
	if len(cut) > 0 {
		t.Errorf("beyond the paper: %q", cut)
	}
	if wide := value[int64](t, b, `document.documentElement.scrollWidth`); wide > paper {
		t.Errorf("the page is %d pixels wide on paper of %d: %s", wide, paper, value[string](t, b, tooWide))
	}
	for _, found := range value[[]string](t, b, collisions) {
		t.Errorf("on paper: %s", found)
	}
	b.shot(t, "paper")
}
