package browsertest

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"

	"locktorture/checker"
	"locktorture/history"
	"locktorture/report"
	"locktorture/report/internal/sample"
	"locktorture/report/page"
	"locktorture/report/state"
)

// pageOf writes the report of a history without a verdict.
func pageOf(t *testing.T, h history.History) (address string) {
	t.Helper()
	var html bytes.Buffer
	if err := page.Write(&html, report.Run{}, checker.Result{}, h); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(path, html.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// A shown is what the page shows at the cursor.
type shown struct {
	At   int64    // µs
	Rows []string // of the tables, cells joined by " | "
}

// cursorAt sets the cursor to instants, in µs, and reads the page.
func cursorAt(t *testing.T, b *tab, instants []int64) []shown {
	t.Helper()
	list, err := json.Marshal(instants)
	if err != nil {
		t.Fatal(err)
	}
	return value[[]shown](t, b, string(list)+`.map((t) => { T.setCursor(T.state, t); return { At: T.state.cursor, Rows: [...document.querySelectorAll("#tl-parts tbody tr")].map((r) => [...r.children].map((c) => c.textContent).join(" | ")) }; })`)
}

// compareStates fails where the page shows something else at a random instant than
// report/state has.
func compareStates(t *testing.T, b *tab, h history.History, count int) (rows int) {
	t.Helper()
	r, instants := rand.New(rand.NewPCG(18, 4)), []int64{}
	for range count {
		instants = append(instants, r.Int64N(h[len(h)-1].Time/1000))
	}
	for i, got := range cursorAt(t, b, instants) {
		if got.At > instants[i] {
			t.Fatalf("at %d µs the cursor is at %d", instants[i], got.At)
		}
		s, err := state.At(h, got.At*1000+999)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(inWords(s, got.At), got.Rows); diff != "" {
			t.Fatalf("at %d µs (-report/state +page):\n%s", got.At, diff)
		}
		rows += len(got.Rows)
	}
	return rows
}

// TestCursorShowsTheState compares what the page shows at random instants of recorded runs
// with report/state, which has a test of its own against history and probes.
func TestCursorShowsTheState(t *testing.T) {
	for _, name := range []string{"redlock-clock", "redis-fenced-pause", "holds-redis-permits", "told-while-released", "etcd-election-cut", "local-kill"} {
		h, _, err := history.ReadFile(filepath.Join("..", "..", "checker", "testdata", name+".jsonl.gz"))
		if err != nil {
			t.Fatal(err)
		}
		b := open(t, pageOf(t, h), chromedp.EmulateViewport(1280, 900))
		b.wait(t, `T.ready > 0`)
		if rows := compareStates(t, b, h, 50); rows < 300 {
			t.Errorf("%s: only %d rows were compared", name, rows)
		}
		b.shot(t, "cursor-"+name)
	}
}

// A run of which not all is kept: the cursor stops where its state is known, and that is what
// it shows.
func TestCursorOfALongRun(t *testing.T) {
	_, _, h := sample.Shape{Seed: 4, Clients: 8, Sections: 30_000, Locks: 2, Broken: true}.Make()
	b := open(t, pageOf(t, h), chromedp.EmulateViewport(1280, 900))
	b.wait(t, `T.ready > 0`)
	if value[bool](t, b, `T.state.data.cursor.detail === null`) {
		t.Fatal("all of the run is kept")
	}
	compareStates(t, b, h, 30)
	if stops := value[int](t, b, `T.log(T.state).times.length`); stops < 300 {
		t.Errorf("the cursor can stop at %d instants only", stops)
	}
}

// The keys move the cursor: to events, to incidents, away.
func TestCursorGoesByKeys(t *testing.T) {
	_, res, h := broken().Make()
	address, _ := write(t, broken())
	for _, width := range []int64{1280, 390} {
		b := open(t, address, chromedp.EmulateViewport(width, 844))
		b.wait(t, `T.ready > 0`)
		b.do(t, chromedp.Focus(chromedp.CSS("#tl-canvas")), chromedp.KeyEvent("n"))
		first := res.Incidents.List[0].Witness.Time / 1000
		b.wait(t, `T.state.cursor === `+number(float64(first))+` && T.state.incident === 1`)
		b.do(t, chromedp.KeyEvent("n"))
		b.wait(t, `T.state.incident === 2 && T.state.anomaly === 2`)
		b.do(t, chromedp.KeyEvent("p"))
		b.wait(t, `T.state.incident === 1 && T.state.cursor === `+number(float64(first)))
		b.do(t, chromedp.KeyEvent(kb.ArrowRight))
		next := h[0].Time
		for _, op := range h {
			if next = op.Time / 1000; next > first && op.Process >= 0 {
				break
			}
		}
		b.wait(t, `T.state.cursor === `+number(float64(next)))
		b.do(t, chromedp.KeyEvent(kb.ArrowLeft))
		b.wait(t, `T.state.cursor === `+number(float64(first)))
		b.do(t, chromedp.Click(chromedp.CSS("#cu-next")))
		b.wait(t, `T.state.cursor === `+number(float64(next))+` && document.querySelector("#tl-at").textContent.includes("event ")`)
		fits(t, b, "the page", width)
		b.shot(t, "cursor-"+number(float64(width)))
		if !value[bool](t, b, `document.querySelector("#tl-state").checkVisibility()`) {
			t.Error("the state is not shown")
		}
		b.do(t, chromedp.Focus(chromedp.CSS("#tl-canvas")), chromedp.KeyEvent(kb.Escape))
		b.wait(t, `T.state.cursor === null && document.querySelector("#tl-state").hidden`)
	}
}

// What is printed has the state at the cursor.
func TestCursorIsPrinted(t *testing.T) {
	address, _ := write(t, broken())
	b := open(t, address, chromedp.EmulateViewport(paper, 1000))
	b.wait(t, `T.ready > 0`)
	b.do(t, chromedp.Focus(chromedp.CSS("#tl-canvas")), chromedp.KeyEvent("n"), media("print"))
	if !value[bool](t, b, `(dispatchEvent(new Event("beforeprint")), document.querySelectorAll("#tl-state tbody tr").length > 5 && document.querySelector("#tl-state").checkVisibility())`) {
		t.Error("the state is not printed")
	}
	if wide := value[int64](t, b, `document.documentElement.scrollWidth`); wide > paper {
		t.Errorf("the page is %d pixels wide on paper of %d: %s", wide, paper, value[string](t, b, tooWide))
	}
}
