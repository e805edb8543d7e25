package page_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"locktorture/checker"
	"locktorture/history"
	"locktorture/report"
	"locktorture/report/internal/sample"
	"locktorture/report/page"
)

func render(t *testing.T, shape sample.Shape) string {
	t.Helper()
	run, res, h := shape.Make()
	var out bytes.Buffer
	if err := page.Write(&out, run, res, h); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// data returns what the page hands to its scripts.
func data(t *testing.T, page string) map[string]any {
	t.Helper()
	_, rest, found := strings.Cut(page, `<script type="application/json" id="data">`)
	if !found {
		t.Fatal("no data in the page")
	}
	text, _, _ := strings.Cut(rest, "</script>")
	var d map[string]any
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		t.Fatalf("data of the page: %v", err)
	}
	return d
}

func TestHTMLIsSelfContained(t *testing.T) {
	page := render(t, sample.Broken())
	links := regexp.MustCompile(`\s(?:src|href|action|srcset|data)=["']?([^"'>]+)`)
	for _, m := range links.FindAllStringSubmatch(strings.SplitN(page, `<script type="application/json"`, 2)[0], -1) {
		if !strings.HasPrefix(m[1], "#") {
			t.Errorf("the page refers to %s", m[1])
		}
	}
	for _, want := range []string{"Content-Security-Policy", "default-src &#39;none&#39;", "reproduce", "What this verdict does not cover", "cannot fix the scheduler", "Permission is hereby granted"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in the page", want)
		}
	}
}

func TestHTMLOfHostileStrings(t *testing.T) {
	harmless, dirty := sample.Broken(), sample.Broken()
	dirty.Hostile = sample.Hostile
	before, page := render(t, harmless), render(t, dirty)
	for _, mark := range []string{"<script", "</script", "<style", "</style", "<!--"} {
		if got, want := strings.Count(page, mark), strings.Count(before, mark); got != want {
			t.Errorf("%d × %q in the page, %d in that of the harmless run", got, mark, want)
		}
	}
	if strings.ContainsAny(page, "\x1b\x00\u202e") {
		t.Error("control characters in the page")
	}
	if !strings.Contains(page, "&lt;script&gt;alert(1)") {
		t.Error("the hostile name is not shown as text")
	}
	if len(page) > 2*len(before)+1_000_000 {
		t.Errorf("%d bytes, %d without the hostile strings", len(page), len(before))
	}
	data(t, page)
}

func TestHTMLOfNothing(t *testing.T) {
	var out bytes.Buffer
	run, res, _ := sample.Shape{Clients: 1}.Make()
	for _, h := range []history.History{nil, {}, {{Process: 0, Type: history.OK, F: history.Release}}} {
		if err := page.Write(&out, run, res, h); err != nil {
			t.Errorf("history of %d entries: %v", len(h), err)
		}
	}
}

func TestHTMLOfAMillionOperationsIsBounded(t *testing.T) {
	shape := sample.Shape{Seed: 3, Clients: 20, Sections: 140_000, Locks: 4, Broken: true}
	page := render(t, shape)
	d := data(t, page)
	t.Logf("%.1f MB, %v items one by one", float64(len(page))/1e6, d["count"])
	if len(page) > 15_000_000 {
		t.Errorf("the page has %d bytes", len(page))
	}
	if d["bins"].(float64) == 0 || d["cells"].(string) == "" {
		t.Error("nothing was summed up")
	}
	if n := d["count"].(float64); n < 10_000 || n > 500_000 {
		t.Errorf("%g items were kept", n)
	}
}

func TestHTMLIsTheSameTwice(t *testing.T) {
	first, second := render(t, sample.Broken()), render(t, sample.Broken())
	if first != second {
		t.Error("two pages of one run differ")
	}
}

// TestPoints: a run whose faults struck at points shows its schedule, when each struck, what is
// known of the cause, and what became of it on real servers.
func TestPoints(t *testing.T) {
	fault := history.Op{Time: 333e6, Process: history.Nemesis, Client: 2, Type: history.Info, F: history.Fault, Key: "hold", Fault: 1, Value: "held back replies of c2"}
	more := page.Recorded{Points: page.Points{
		Schedule:  "# found\nat c2 reply SET=OK redis-1 #1: hold for=458ms\nat c1 gate write #9: kill\n",
		Cause:     "at c2 reply SET=OK redis-1 #1: hold for=458ms\n  without it the anomaly disappears\n  for= may be up to 10ms shorter\n",
		Confirmed: "seen in 10 of 10 rounds on real servers: confirmed (8 are needed)",
	}}
	var b bytes.Buffer
	run := report.Run{Provisioner: report.Simulated, Reproduce: "torture replay results/runs/one"}
	if err := page.WriteTraced(&b, run, checker.Result{}, history.History{fault}, more); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`<code>at c2 reply SET=OK redis-1 #1: hold for=458ms</code></td><td>0.333 s: held back replies of c2</td><td>without it the anomaly disappears<br>for= may be up to 10ms shorter<br></td>`,
		`<code>at c1 gate write #9: kill</code></td><td>its point never came</td><td></td>`, "seen in 10 of 10 rounds on real servers", "torture replay results/runs/one",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the page has no %s", want)
		}
	}
	b.Reset()
	if err := page.Write(&b, run, checker.Result{}, history.History{fault}); err != nil || strings.Contains(b.String(), `id="points"`) {
		t.Errorf("a run without points has a schedule: %v", err)
	}
}
