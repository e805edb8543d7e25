package browsertest

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"locktorture/checker"
	"locktorture/history"
	"locktorture/report"
	"locktorture/report/page"
)

// script returns a scripted run in which a stopped client writes after another: seven
// lifelines, and texts as long as they get.
func script() (report.Run, checker.Result, history.History) {
	const ms = int64(1e6)
	op := func(at int64, client int, typ history.Type, f history.F, lease int64) history.Op {
		return history.Op{Time: at * ms, Process: client - 1, Client: client, Type: typ, F: f, Lock: "L", Lease: lease}
	}
	granted := func(at int64, client int, lease int64) history.Op {
		o := op(at, client, history.OK, history.Acquire, lease)
		o.Token, o.Value = uint64(32+lease), fmt.Sprint("owner", lease)
		return o
	}
	access := func(at int64, client int, typ history.Type, f history.F, lease int64, value string) history.Op {
		o := op(at, client, typ, f, lease)
		o.Store, o.Key, o.Value, o.Token = history.Plain, "L/counter", value, uint64(32+lease)
		return o
	}
	fault := func(at int64, f history.F) history.Op {
		return history.Op{Time: at * ms, Process: history.Nemesis, Client: 1, Type: history.Info, F: f, Key: "pause", Node: "c1", Fault: 1,
			Value: "stopped between the check of its lease and the write that it had computed long before"}
	}
	sight := func(at int64, node string) history.Op {
		return history.Op{Time: at * ms, Process: history.Harness, Type: history.Info, F: history.Probe, Lock: "L", Node: node, Value: "owner1"}
	}
	ask := op(12, 1, history.OK, history.Ask, 1)
	ask.UntilMax = 50 * ms
	late := access(90, 1, history.OK, history.Write, 1, "1")
	h := history.History{
		op(0, 1, history.Invoke, history.Acquire, 0), granted(10, 1, 1), op(11, 1, history.Invoke, history.Ask, 1), ask,
		access(20, 1, history.Invoke, history.Read, 1, ""), access(21, 1, history.OK, history.Read, 1, "0"),
		fault(30, history.Fault),
		sight(40, "redis-1"), sight(41, "redis-2"), sight(42, "redis-3"),
		op(60, 2, history.Invoke, history.Acquire, 0), granted(70, 2, 2),
		access(71, 2, history.Invoke, history.Read, 2, ""), access(72, 2, history.OK, history.Read, 2, "0"),
		access(80, 2, history.Invoke, history.Write, 2, "1"), access(81, 2, history.OK, history.Write, 2, "1"),
		fault(85, history.Heal),
		access(89, 1, history.Invoke, history.Write, 1, "1"), late,
		op(95, 2, history.Invoke, history.Release, 2), op(96, 2, history.OK, history.Release, 2),
	}
	res := checker.Result{Grade: checker.Unsafe, Sentence: "an update is lost", Properties: []checker.Property{{
		Name: "workload", Status: checker.Violated, Total: 1, Anomalies: []checker.Anomaly{{
			Kind: "lost-update", Time: 90 * ms, Ops: []history.Op{late},
			Sentence: "c1, under lease 1 of L, wrote L/counter = \"1\" at 0.090 s, 0.040 s after its validity, and c2's write of 0.081 s is gone as if it had never been",
		}},
	}}}
	return report.Run{Scenario: "gc-pause", Title: "a holder is stopped for longer than its lease, and writes", Backend: "redis-fenced",
		Nodes: []string{"redis-1", "redis-2", "redis-3"}}, res, h
}

// A seen is what the visible drawing shows, in pixels of the screen.
type seen struct {
	Left, Right float64
	Heads       []string // names on the lifelines
	Lines       []float64
	Arrows      [][2]float64 // where they begin and end
	Violated    []string     // titles of the banners
	Marked      int          // banners with an area
	Bars        map[string]int
	Outside     []string // texts that stick out of the drawing
	Smallest    float64  // height of a text
}

const look = `(() => {
  const svg = [...document.querySelectorAll(".story svg")].filter((s) => s.getBoundingClientRect().width > 0);
  if (svg.length !== 1) return { Heads: [svg.length + " drawings are visible"] };
  const box = (e) => e.getBoundingClientRect(), all = (q) => [...svg[0].querySelectorAll(q)], b = box(svg[0]);
  const at = (e, x) => new DOMPoint(x, 0).matrixTransform(e.getScreenCTM()).x;
  const bars = {};
  for (const c of ["hold", "open", "beyond", "stopped"]) bars[c] = all("rect." + c).filter((r) => box(r).height > 0).length;
  return {
    Left: b.left, Right: b.right,
    Heads: all("text.head").map((e) => e.textContent),
    Lines: all("line.line").map((e) => at(e, e.x1.baseVal.value)),
    Arrows: all("g.arrow > line").map((e) => [at(e, e.x1.baseVal.value), at(e, e.x2.baseVal.value)]),
    Violated: all("text.title.violated").map((e) => e.textContent),
    Marked: all("rect.banner.violated").filter((r) => box(r).width > 100 && box(r).height > 20).length,
    Bars: bars,
    Outside: all("text").filter((e) => box(e).left < b.left - 1 || box(e).right > b.right + 1).map((e) => e.textContent),
    Smallest: Math.min(...all("text").map((e) => box(e).height)),
  };
})()`

// TestStoryIsDrawn looks at the sequence diagram of a scripted run as a browser shows it:
// every lifeline, every message between two of them, what was violated; on a desk and on a
// phone, where nothing may stick out.
func TestStoryIsDrawn(t *testing.T) {
	run, res, h := script()
	var html bytes.Buffer
	if err := page.Write(&html, run, res, h); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(path, html.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	address := (&url.URL{Scheme: "file", Path: path}).String()
	for width, heads := range map[int64][]string{
		1280: {"redis-1", "redis-2", "redis-3", "lock", "c1", "c2", "plain store"},
		390:  {"1", "2", "3", "lock", "c1", "c2", "store"},
	} {
		b := open(t, address, chromedp.EmulateViewport(width, 844))
		b.wait(t, `T.ready > 0`)
		got := value[seen](t, b, look)
		if d := cmp.Diff(heads, got.Heads); d != "" {
			t.Errorf("%d: lifelines: %s", width, d)
		}
		if len(got.Lines) != len(heads) || !slices.IsSorted(got.Lines) || len(got.Lines) > 0 && (got.Lines[0] < got.Left || got.Lines[len(got.Lines)-1] > got.Right) {
			t.Errorf("%d: lifelines at %v of %g to %g", width, got.Lines, got.Left, got.Right)
		}
		const messages = 6 // two grants, two reads, two writes; the release is the seventh
		if len(got.Arrows) < messages+1 {
			t.Errorf("%d: %d messages, want at least %d", width, len(got.Arrows), messages+1)
		}
		for _, a := range got.Arrows {
			for _, end := range a {
				if !slices.ContainsFunc(got.Lines, func(x float64) bool { return end > x-10 && end < x+10 }) {
					t.Errorf("%d: a message begins or ends at %g, on no lifeline of %v", width, end, got.Lines)
				}
			}
		}
		if !slices.Equal(got.Violated, []string{"lost-update"}) || got.Marked != 1 {
			t.Errorf("%d: violated %q, %d marks", width, got.Violated, got.Marked)
		}
		if got.Bars["hold"] != 1 || got.Bars["open"] != 1 || got.Bars["beyond"] != 1 || got.Bars["stopped"] != 1 {
			t.Errorf("%d: on the lifelines: %v", width, got.Bars)
		}
		if len(got.Outside) > 0 || got.Smallest < 9 {
			t.Errorf("%d: texts stick out of the drawing: %q; the smallest is %g pixels high", width, got.Outside, got.Smallest)
		}
		fits(t, b, "the page", width)
		b.shot(t, "story-"+number(float64(width)))
	}
}
