package browsertest

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"locktorture/checker"
	"locktorture/report/scorecard"
)

// card returns a score card of many locks, one with a hostile name.
func card() scorecard.Card {
	c := scorecard.Card{When: time.Unix(1767225600, 0), Commit: "c0ffee",
		Claims: []scorecard.Claim{{Family: "Redis", Aspect: "consistency", Says: "weak"}, {Family: "Redis", Aspect: "performance", Says: "high"},
			{Family: "Redis", Aspect: "reliability", Says: "good"}, {Family: "Redis", Aspect: "automatic expiry", Says: "yes"}}}
	var tries []scorecard.Try
	for i := range 20 {
		name := fmt.Sprintf("redis-%d", i)
		if i == 3 {
			name = "<script>document.title='forged'</script>" + strings.Repeat("A", 10_000)
		}
		c.Locks = append(c.Locks, scorecard.Lock{Name: name, About: "a lock with a description that is rather long", Family: "Redis", Clock: "the server's", Reentrancy: "no"})
		for j, nemesis := range []string{"none", "pause", "clock", "kill-client", "partition", "restart", "failover"} {
			g := []checker.Grade{checker.Safe, checker.FencedG, checker.Unsafe, checker.Unknown}[(i+j)%4]
			r := &checker.Result{Grade: g, Sentence: "so it is", Measures: checker.Measures{GrantRate: 123, Jain: .9, Acquire: checker.Quantiles{N: 3, P50: 3e6, P99: 1e8}}}
			p := checker.Property{Name: "exclusion", Status: checker.Kept}
			if g == checker.Unsafe {
				p.Status, p.Anomalies = checker.Violated, []checker.Anomaly{{Kind: "double-grant", Time: 1e9, Sentence: "two held it"}}
			}
			r.Properties = []checker.Property{p, {Name: "liveness", Status: checker.Violated, Anomalies: []checker.Anomaly{{Kind: "deadlock"}}}}
			t := scorecard.Try{Backend: name, Nemesis: nemesis, Workload: "counter", Seed: 1, State: scorecard.Tried, Dir: "runs/x", Result: r, Start: c.When}
			tries = append(tries, t)
			c.Trend = append(c.Trend, scorecard.NewPoint(t, "c0ffee"))
		}
	}
	c.Rows = scorecard.Rows(tries)
	c.Rows[1].Differs = "expected safe, got fenced"
	return c
}

func TestScoreCardFitsAndIsHarmless(t *testing.T) {
	var page bytes.Buffer
	if err := scorecard.Write(&page, card()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "index.html")
	if err := os.WriteFile(path, page.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, width := range []int64{1280, 390} {
		b := open(t, (&url.URL{Scheme: "file", Path: path}).String(), chromedp.EmulateViewport(width, 844))
		fits(t, b, "the page", width)
		if got := value[string](t, b, `document.title`); got != "torture: score card" {
			t.Errorf("the title is %q", got)
		}
		if got := value[int](t, b, `document.querySelectorAll("#score tbody tr").length`); got != 20 {
			t.Errorf("%d locks, want 20", got)
		}
		if got := value[string](t, b, `document.querySelector("#score a").getAttribute("href")`); got != "runs/x/report.html" {
			t.Errorf("the first grade leads to %q", got)
		}
		// The sticky names stay in front, and no cell lies over another.
		if got := value[int](t, b, `[...document.querySelectorAll("#score td")].filter(c => c.scrollWidth > c.clientWidth + 1).length`); got != 0 {
			t.Errorf("%d cells overflow at %d pixels", got, width)
		}
		b.shot(t, fmt.Sprintf("scorecard-%d", width))
	}
}
