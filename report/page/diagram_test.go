package page_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"locktorture/checker"
	"locktorture/history"
	"locktorture/report"
	"locktorture/report/internal/sample"
	"locktorture/report/page"
)

// diagram returns the page of one double grant: c1 is stopped, its lease ends, c2 gets the
// lock, c1 goes on.
func diagram(t *testing.T) string {
	t.Helper()
	ask := sample.Op(11, 1, history.OK, history.Ask, 1)
	ask.UntilMin, ask.UntilMax = 50*ms, 51*ms
	write := sample.Op(80, 1, history.OK, history.Write, 1)
	write.Store, write.Key, write.Value, write.Apply = history.Plain, "k", "7", 3
	call := write
	call.Time, call.Type, call.Apply = 79*ms, history.Invoke, 0
	fault := history.Op{Time: 20 * ms, Process: history.Nemesis, Client: 1, Type: history.Info, F: history.Fault, Key: "pause", Node: "c1", Fault: 1, Value: "stopped between check and write"}
	cut := history.Op{Time: 30 * ms, Process: history.Nemesis, Type: history.Info, F: history.Fault, Key: "clock", Node: "redis-1,redis-2,redis-3", Fault: 2, Value: strings.Repeat("long ", 40)}
	h := history.History{sample.Op(0, 1, history.Invoke, history.Acquire, 0), sample.Op(10, 1, history.OK, history.Acquire, 1), sample.Op(11, 1, history.Invoke, history.Ask, 1), ask, fault, cut,
		sample.Op(40, 2, history.Invoke, history.Acquire, 0), sample.Op(60, 2, history.OK, history.Acquire, 2), call, write, sample.Op(90, 1, history.Invoke, history.Release, 1), sample.Op(91, 1, history.Fail, history.Release, 1)}
	res := checker.Result{Grade: checker.Unsafe, Properties: []checker.Property{{Name: "exclusion", Status: checker.Violated, Total: 2, Anomalies: []checker.Anomaly{
		{Kind: "overrun", Sentence: "c1 wrote too late", Lock: "L", Time: 80 * ms, Ops: []history.Op{ask, write, h[7]}, Faults: []history.Op{fault, cut}},
		{Kind: "overrun", Sentence: "again", Time: 80 * ms, Ops: []history.Op{write}},
	}}}}
	var html bytes.Buffer
	if err := page.Write(&html, report.Run{}, res, h); err != nil {
		t.Fatal(err)
	}
	return html.String()
}

func TestSequenceDiagramTellsTheStory(t *testing.T) {
	page := diagram(t)
	if n := strings.Count(page, `<svg width="9`) + strings.Count(page, `<svg width="1`); n != 1 {
		t.Fatalf("%d diagrams, want one for each kind", n)
	}
	_, steps, _ := strings.Cut(page, "The steps in words")
	steps, _, _ = strings.Cut(steps, "</ol>")
	var got []string
	for _, m := range regexp.MustCompile(`<li>([^<]*)</li>`).FindAllStringSubmatch(steps, -1) {
		got = append(got, m[1])
	}
	want := []string{
		"0.000 s: c1 → lock L: acquire", "0.010 s: lock L → c1: granted, lease 1", "0.011 s: c1 – asks its lease: valid until 0.050 s",
		"0.020 s: c1 – pause: stopped between check and write", "0.030 s: node redis-1,2,3 – clock: long",
		"0.040 s: c2 → lock L: acquire", "0.050 s: c1 – validity of lease 1 ends", "0.060 s: lock L → c2: granted, lease 2",
		"0.080 s: c1 → plain store: write k = 7 (no. 3)", "0.090 s: c1 → lock L: release", "0.091 s: lock L → c1: release refused",
	}
	if len(got) != len(want) {
		t.Fatalf("%d steps, want %d:\n%s", len(got), len(want), strings.Join(got, "\n"))
	}
	for i := range want {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("step %d is %q, want %q", i, got[i], want[i])
		}
	}
	var lines []string
	for _, m := range regexp.MustCompile(`<g class="life [^>]*><line[^>]*/><text[^>]*>([^<]*)<`).FindAllStringSubmatch(page, -1) {
		lines = append(lines, m[1])
	}
	if s := strings.Join(lines, "|"); s != "node redis-1,2,3|lock L|c1|c2|plain store" {
		t.Errorf("lifelines %s", s)
	}
	if strings.Count(page, `class="bar hold"`) != 1 || strings.Count(page, `class="bar beyond"`) != 1 || strings.Count(page, `class="bar open"`) != 1 {
		t.Error("want a bar of c1's valid lease, one beyond it, and one of c2's, of which no end was told")
	}
}

// The drawings come before everything that is listed, and the sentence of a drawing stands
// nowhere else.
func TestPictureComesFirst(t *testing.T) {
	text, _, _ := strings.Cut(render(t, sample.Broken()), `<script type="application/json"`)
	last := -1
	for _, id := range []string{"verdict", "diagrams", "incidents", "properties", "timeline", "run"} {
		at := strings.Index(text, ` id="`+id+`"`)
		if at <= last {
			t.Errorf("section %s is at %d, after one at %d", id, at, last)
		}
		last = at
	}
	drawn := regexp.MustCompile(`<figcaption><h3>[^<]*</h3><p>([^<]+)</p>`).FindAllStringSubmatch(text, -1)
	if len(drawn) == 0 {
		t.Fatal("nothing is drawn")
	}
	for _, d := range drawn {
		if n := strings.Count(text, d[1]); n != 1 {
			t.Errorf("%d times on the page: %s", n, d[1])
		}
	}
}
