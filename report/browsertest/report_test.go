package browsertest

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"locktorture/report/internal/sample"
)

func broken() sample.Shape {
	return sample.Shape{Seed: 7, Clients: 5, Sections: 300, Locks: 2, Broken: true}
}

func TestVerdictIsTheResults(t *testing.T) {
	for _, shape := range []sample.Shape{broken(), {Seed: 1, Clients: 3, Sections: 100}, {Clients: 1}} {
		_, res, _ := shape.Make()
		address, _ := write(t, shape)
		b := open(t, address)
		if got := value[string](t, b, `document.querySelector("#sentence").textContent`); got != res.Headline {
			t.Errorf("the page says %q, the result %q", got, res.Sentence)
		}
		if got := value[string](t, b, `document.querySelector("#verdict").dataset.grade + document.querySelector("#verdict .badge").textContent`); got != string(res.Grade)+string(res.Grade) {
			t.Errorf("the page's grade is %q, the result's %q", got, res.Grade)
		}
		b.wait(t, `T.ready > 0`)
	}
}

const wide = `T.state.view.to - T.state.view.from`

func TestTimelineZoomsAndPans(t *testing.T) {
	address, _ := write(t, broken())
	b := open(t, address, chromedp.EmulateViewport(1280, 900))
	b.do(t, chromedp.ScrollIntoView(chromedp.CSS("#tl-canvas")))
	all := value[float64](t, b, wide)
	b.do(t, chromedp.Click(chromedp.CSS("#tl-in")))
	b.wait(t, wide+` < 0.6 * T.state.data.end`)
	b.do(t, chromedp.Focus(chromedp.CSS("#tl-canvas")), chromedp.KeyEvent("+"))
	b.wait(t, wide+` < 0.4 * T.state.data.end`)
	from := value[float64](t, b, `T.state.view.from`)
	b.do(t, chromedp.KeyEvent(kb.ArrowRight, chromedp.KeyModifiers(kb.ModifierShift)))
	if after := value[float64](t, b, `T.state.view.from`); after <= from {
		t.Errorf("shift and arrow right moved from %g to %g", from, after)
	}
	before := value[float64](t, b, wide)
	x, y := middle(t, b)
	wheel := chromedp.MouseEvent(input.DispatchMouseEventTypeMouseWheel, x, y, chromedp.ButtonNone, func(p *input.DispatchMouseEventParams) { p.DeltaX, p.DeltaY, p.Modifiers = 0.01, -200, 2 })
	b.do(t, wheel)
	b.wait(t, wide+` < `+number(before*0.9))
	from = value[float64](t, b, `T.state.view.from`)
	b.do(t, mouse(input.DispatchMouseEventTypeMousePressed, x, y), mouse(input.DispatchMouseEventTypeMouseMoved, x+100, y), mouse(input.DispatchMouseEventTypeMouseReleased, x+100, y))
	b.wait(t, `T.state.view.from < `+number(from))
	b.do(t, chromedp.Click(chromedp.CSS("#tl-all")))
	b.wait(t, wide+` === `+number(all))
	b.wait(t, `document.querySelector("#tl-range").textContent.includes("In view: 0.00 s")`)
}

func TestTimelineFilters(t *testing.T) {
	address, _ := write(t, broken())
	b := open(t, address, chromedp.EmulateViewport(1280, 900))
	before := pixels(t, b)
	b.do(t, choose("#f-client", "1"))
	b.wait(t, `T.state.lanes.length === 1 && T.state.lanes[0] === 1 && !T.state.queued`)
	one := pixels(t, b)
	b.do(t, chromedp.Click(chromedp.CSS(`input[data-kind="hold"]`)))
	b.wait(t, `!T.state.filter.kinds.hold && !T.state.queued`)
	without := pixels(t, b)
	b.do(t, choose("#f-lock", "1"))
	b.wait(t, `T.state.filter.lock === 1 && !T.state.queued`)
	if before == one || one == without || without == pixels(t, b) {
		t.Error("a filter changed nothing that is drawn")
	}
	b.do(t, chromedp.Click(chromedp.CSS("#tl-list summary")))
	b.wait(t, `document.querySelectorAll("#tl-list tbody tr").length > 10`)
	if value[bool](t, b, `[...document.querySelectorAll("#tl-list tbody tr")].some((r) => r.textContent.includes("c1"))`) {
		t.Error("the table shows a client that the filter hides")
	}
}

func TestAnomalyIsFoundByClickAndKey(t *testing.T) {
	_, res, _ := broken().Make()
	anomalies := res.Properties[0].Anomalies
	address, _ := write(t, broken())
	b := open(t, address, chromedp.EmulateViewport(1280, 900))
	b.do(t, chromedp.Click(chromedp.CSS(`#anomaly-2 button.jump`)))
	b.wait(t, `T.state.anomaly === 2 && `+wide+` < T.state.data.end / 4`)
	info := `document.querySelector("#tl-info").textContent`
	if got := value[string](t, b, info); !strings.Contains(got, anomalies[1].Sentence) {
		t.Errorf("the witness says %q, want %q in it", got, anomalies[1].Sentence)
	}
	b.wait(t, `document.querySelectorAll("#tl-info tbody tr").length >= 4`)
	b.shot(t, "zoomed")
	b.do(t, chromedp.Click(chromedp.CSS("#tl-all")), chromedp.Focus(chromedp.CSS("#tl-canvas")), chromedp.KeyEvent("n"))
	b.wait(t, `T.state.anomaly === 3`)
	// The mark itself, on the canvas.
	b.do(t, chromedp.Click(chromedp.CSS("#tl-all")))
	b.wait(t, `!T.state.queued`)
	at := value[[]float64](t, b, `(() => { const r = T.state.canvas.getBoundingClientRect(), a = T.state.data.anomalies[0]; return [r.left + T.x(T.state, a.time), r.top + 34]; })()`)
	b.do(t, mouse(input.DispatchMouseEventTypeMousePressed, at[0], at[1]), mouse(input.DispatchMouseEventTypeMouseReleased, at[0], at[1]))
	b.wait(t, `T.state.anomaly === 1 && `+info+`.includes("Witness")`)
}

func TestPageFitsPhoneAndDesktop(t *testing.T) {
	for name, shape := range map[string]sample.Shape{"unsafe": broken(), "safe": {Seed: 2, Clients: 12, Sections: 400, Locks: 3}} {
		address, _ := write(t, shape)
		everyScreen(t, name, address, `T.ready > 0`)
	}
}

// tooWide names the elements that stick out.
const tooWide = `[...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".scroll")).map((e) => e.tagName + "#" + e.id + "." + e.className).join(" ")`

func TestPrintIsLightAndOpen(t *testing.T) {
	address, _ := write(t, broken())
	b := open(t, address, chromedp.EmulateViewport(1000, 844), colours("dark"))
	b.wait(t, `T.ready > 0`)
	dark := value[string](t, b, `getComputedStyle(document.body).backgroundColor`)
	b.do(t, media("print"))
	light := value[string](t, b, `(dispatchEvent(new Event("beforeprint")), getComputedStyle(document.body).backgroundColor)`)
	if dark == light || light != "rgb(255, 255, 255)" {
		t.Errorf("dark mode is %s, print %s", dark, light)
	}
	if !value[bool](t, b, `document.querySelector("#anomaly-1 details").open && getComputedStyle(document.querySelector(".tools")).display === "none"`) {
		t.Error("the witness is folded, or the buttons are printed")
	}
	b.shot(t, "print")
}
