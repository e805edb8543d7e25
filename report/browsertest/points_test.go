package browsertest

import (
	"bytes"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"locktorture/checker"
	"locktorture/history"
	"locktorture/report"
	"locktorture/report/page"
)

// TestScheduleIsShown: the schedule of a run in virtual time stands on its page, in reach of
// the menu, and makes it wider than no screen.
func TestScheduleIsShown(t *testing.T) {
	fault := history.Op{Time: 333e6, Process: history.Nemesis, Client: 2, Type: history.Info, F: history.Fault, Key: "hold", Fault: 1,
		Value: "held back replies of c2 and redis-1 at c2 reply SET=OK redis-1 #1"}
	line := "at c2 reply SET=OK redis-1 #1: hold nodes=1,2,3,4,5 for=458ms"
	more := page.Recorded{Points: page.Points{Schedule: line + "\n", Cause: line + "\n  without it the anomaly disappears\n", Confirmed: "seen in 10 of 10 rounds on real servers: confirmed (8 are needed)"}}
	run := report.Run{Provisioner: report.Simulated, Reproduce: "torture replay results/runs/" + strings.Repeat("20261122-210837.293-", 6) + "redis-set-del-2"}
	var html bytes.Buffer
	if err := page.WriteTraced(&html, run, checker.Result{}, history.History{fault}, more); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(path, html.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, width := range []int64{1280, 390} {
		b := open(t, (&url.URL{Scheme: "file", Path: path}).String(), chromedp.EmulateViewport(width, 844))
		b.wait(t, `T.ready > 0`)
		cells := value[[]string](t, b, `[...document.querySelectorAll("#points tbody td")].map((c) => c.innerText)`)
		if want := []string{line, "0.333 s: " + fault.Value, "without it the anomaly disappears"}; strings.TrimSpace(strings.Join(cells, "|")) != strings.Join(want, "|") {
			t.Errorf("%d: the schedule is %q", width, cells)
		}
		if !value[bool](t, b, `document.querySelector('nav a[href="#points"]').checkVisibility() && document.querySelector("#confirmed").innerText.includes("10 of 10")`) {
			t.Errorf("%d: no way to the schedule, or no rate", width)
		}
		fits(t, b, "the page", width)
		b.shot(t, "schedule-"+number(float64(width)))
	}
}
