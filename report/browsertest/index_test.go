package browsertest

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"locktorture/checker"
	"locktorture/report/internal/sample"
	"locktorture/report/page"
	"locktorture/report/serve"
)

// directory writes whole run directories: results, reports, histories.
func directory(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, shape := range map[string]sample.Shape{
		"20260101-150405-redlock-7": broken(), "20260102-150405-redlock-8": {Seed: 8, Clients: 3, Sections: 100}, "20260103-150405-redlock-9": {Seed: 9, Clients: 4, Sections: 200, Broken: true},
	} {
		run, res, h := shape.Make()
		run.Name, run.Seed = name, shape.Seed
		var html bytes.Buffer
		if err := page.Write(&html, run, res, h); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
		for file, v := range map[string]any{"run.json": run, "result.json": res, "report.html": nil} {
			b := html.Bytes()
			if v != nil {
				var err error
				if b, err = json.Marshal(v); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(filepath.Join(dir, name, file), b, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

func TestIndexSearchesSortsAndCompares(t *testing.T) {
	server := httptest.NewServer(serve.Handler(directory(t), nil))
	t.Cleanup(server.Close)
	rows := `document.querySelectorAll("tbody tr").length`
	for _, width := range []int64{1280, 390} {
		b := open(t, server.URL+"/", chromedp.EmulateViewport(width, 844))
		if n := value[int](t, b, rows); n != 3 {
			t.Errorf("%d runs are listed", n)
		}
		fits(t, b, "the page", width)
		if right := value[float64](t, b, `Math.max(...[...document.querySelectorAll("tbody .grade")].map(g => g.getBoundingClientRect().right))`); right > float64(width) {
			t.Errorf("a grade ends at %g on a screen of %d", right, width)
		}
		if cut := value[float64](t, b, `document.querySelector(".scroll").scrollWidth - document.querySelector(".scroll").clientWidth`); width == 1280 && cut > 0 {
			t.Errorf("%g pixels of the table are cut off on a screen of %d", cut, width)
		}
		b.shot(t, "index-"+number(float64(width)))
	}
	b := open(t, server.URL+"/", chromedp.EmulateViewport(1280, 844))
	b.do(t, chromedp.SendKeys(chromedp.CSS("input[name=q]"), "nothing was\r"))
	b.wait(t, rows+` === 1 && location.search.includes("q=nothing")`)
	b.do(t, chromedp.Navigate(server.URL+"/"), chromedp.Click(chromedp.CSS("thead th:nth-child(2) a")))
	b.wait(t, `document.querySelector("th[aria-sort=ascending]").textContent === "grade"`)
	if last := value[string](t, b, `[...document.querySelectorAll("tbody .grade")].at(-1).textContent`); last != "safe" {
		t.Errorf("sorted by grade the last is %s", last)
	}
	b.do(t, chromedp.Click(chromedp.CSS("tbody tr:nth-child(1) input")), chromedp.Click(chromedp.CSS("tbody tr:nth-child(3) input")), chromedp.Click(chromedp.CSS(`form[action="/compare"] button`)))
	b.wait(t, `location.pathname === "/compare" && document.querySelectorAll("tr.attention").length > 3`)
	b.shot(t, "compare")
	b.do(t, chromedp.Click(chromedp.CSS("thead th:nth-child(2) a")))
	b.wait(t, `location.pathname.endsWith("/report.html") && T.ready > 0`)
	if grade := value[string](t, b, `document.querySelector("#verdict").dataset.grade`); !strings.Contains("unsafe safe", grade) {
		t.Errorf("the report's grade is %q", grade)
	}
}

// TestRunIsJudgedAgainByAButton: the button reaches the judge, and the old verdict
// stands beside the new one. Enter in the list compares, it does not judge.
func TestRunIsJudgedAgainByAButton(t *testing.T) {
	dir := directory(t)
	const run = "20260101-150405-redlock-7"
	if err := os.WriteFile(filepath.Join(dir, run, "history.jsonl"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(serve.Handler(dir, func(path string) error {
		b, err := json.Marshal(checker.Result{Grade: checker.Safe, Sentence: "nothing was violated after all"})
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(path, "result.json"), b, 0o644)
	}))
	t.Cleanup(server.Close)
	b := open(t, server.URL+"/", chromedp.EmulateViewport(390, 844))
	if n := value[int](t, b, `document.querySelectorAll("button[name=check]").length`); n != 1 {
		t.Errorf("%d runs can be judged again, want the one with a history", n)
	}
	b.do(t, chromedp.Click(chromedp.CSS("button[name=check]")))
	b.wait(t, `location.pathname === "/check" && document.querySelector("h1").textContent === "Judged again: `+run+`"`)
	if row := value[string](t, b, `document.querySelector("tr.attention").textContent`); !strings.Contains(row, "unsafe") || !strings.Contains(row, "safe") {
		t.Errorf("the first row that differs says %q", row)
	}
	fits(t, b, "the page", 390)
	b.shot(t, "judged-again")
}
