package story_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktorture/checker"
	"locktorture/history"
	"locktorture/report"
	"locktorture/report/internal/sample"
	"locktorture/report/page"
	"locktorture/report/story"
)

const ms = 1_000_000 // ns

// delayed returns a write that arrives when its client's lease is over and another's has
// counted, on a server whose clock was wrong meanwhile.
func delayed() (report.Run, checker.Result, history.History) {
	write := func(at int64, client int, typ history.Type, lease int64) history.Op {
		o := sample.Op(at, client, typ, history.Write, lease)
		o.Store, o.Key, o.Value = history.Fenced, "L/counter", "1"
		o.Token = uint64(32 + lease)
		return o
	}
	granted := func(at int64, client int, lease int64, owner string) history.Op {
		o := sample.Op(at, client, history.OK, history.Acquire, lease)
		o.Token, o.Value = uint64(32+lease), owner
		return o
	}
	sight := func(at int64, node, owner string) history.Op {
		return history.Op{Time: at * ms, Process: history.Harness, Type: history.Info, F: history.Probe, Lock: "L", Node: node, Value: owner}
	}
	fault := func(at int64, f history.F, value string) history.Op {
		return history.Op{Time: at * ms, Process: history.Nemesis, Type: history.Info, F: f, Key: "clock", Node: "redis-2", Fault: 1, Value: value}
	}
	ask := sample.Op(11, 1, history.OK, history.Ask, 1)
	ask.UntilMax = 50 * ms
	late := write(90, 1, history.OK, 1)
	h := history.History{
		sample.Op(0, 1, history.Invoke, history.Acquire, 0), granted(10, 1, 1, "one"),
		sample.Op(10, 1, history.Invoke, history.Ask, 1), ask,
		sight(12, "redis-1", "one"), sight(13, "redis-2", "one"), sight(14, "redis-1", "one"),
		write(20, 1, history.Invoke, 1),
		fault(30, history.Fault, "clocks of redis-2 tell +6.000 s"),
		sample.Op(60, 2, history.Invoke, history.Acquire, 0), granted(70, 2, 2, "two"),
		write(80, 2, history.Invoke, 2), write(80, 2, history.OK, 2),
		late,
		fault(95, history.Heal, ""),
		sample.Op(96, 2, history.Invoke, history.Release, 2), sample.Op(97, 2, history.Fail, history.Release, 2),
	}
	res := checker.Result{Grade: checker.Unsafe, Properties: []checker.Property{{Name: "workload", Anomalies: []checker.Anomaly{
		{Kind: "lost-update", Sentence: "an update is gone", Time: 20 * ms, Ops: []history.Op{late}},
	}}}}
	return report.Run{Scenario: "delayed", Nodes: []string{"redis-1", "redis-2"}}, res, h
}

func TestStory(t *testing.T) {
	run, res, h := delayed()
	want := []string{
		"0.010 s: lock → c1: granted, lease 1, token 33",
		"0.012 s: redis-1, redis-2 – seen: lease 1",
		"0.020 s: c1 – write counter = 1 (token 33) is sent",
		"0.030 s: redis-2 – clocks of redis-2 tell +6.000 s",
		"0.050 s: c1 – lease 1 ends",
		"0.070 s: lock → c2: granted, lease 2, token 34",
		"0.080 s: c2 → fenced store: write counter = 1 (token 34)",
		"0.090 s: c1 → fenced store: write counter = 1 (token 33) arrives",
		"lost-update: an update is gone",
		"0.095 s: redis-2 – the clock is right again",
		"0.097 s: c2 → lock: release: refused",
	}
	if d := cmp.Diff(want, story.New(run, res, h).Steps()); d != "" {
		t.Error(d)
	}
	text := story.New(run, res, h).Mermaid()
	for _, line := range []string{
		"sequenceDiagram\n  participant servers\n  participant lock\n  participant c1\n  participant c2\n  participant P5 as fenced store\n",
		"  lock->>c1: 0.01s granted, lease 1, token 33\n  Note over c1: 0.02s write", "  Note over servers: 0.03s clocks of redis-2",
		"  c1->>P5: 0.09s write counter=1 (token 33) arrives\n  rect rgba(179,38,30,0.2)\n  Note over servers,P5: lost-update\n  end\n",
	} {
		if !strings.Contains(text, line) {
			t.Errorf("the drawing of the pages has no %q:\n%s", line, text)
		}
	}
	if strings.Contains(text, "seen: lease 1") || strings.Contains(text, "right again") || strings.Contains(text, "release") {
		t.Errorf("the drawing of the pages has rows that show nothing:\n%s", text)
	}
}

// TestStoryOfEveryScript looks for the drawing in the pages of scripts with and without an
// anomaly and of none that is no script.
func TestStoryOfEveryScript(t *testing.T) {
	run, res, h := delayed()
	page := func(run report.Run, res checker.Result) string {
		var b bytes.Buffer
		if err := page.Write(&b, run, res, h); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	fell := page(run, res)
	for what, n := range map[string]int{
		`<figure class="story">`: 1, `class="hold"`: 2, `class="open"`: 2, `class="beyond"`: 2, `class="skewed"`: 2, `class="banner violated"`: 2, `class="arrow ok named late"`: 2, "<figure class=\"sequence\">": 0,
	} {
		if got := strings.Count(fell, what); got != n {
			t.Errorf("%d times %s, want %d", got, what, n)
		}
	}
	if stood := page(run, checker.Result{Grade: checker.Safe}); strings.Count(stood, `class="banner kept"`) != 2 {
		t.Error("the page of a script without an anomaly has no drawing that says so")
	}
	run.Scenario = ""
	if strings.Contains(page(run, res), `<figure class="story">`) {
		t.Error("a run that is no script is drawn as one")
	}
}

// TestStoryIsBounded tells one that has too many rows and too many clients.
func TestStoryIsBounded(t *testing.T) {
	var h history.History
	for i := range int64(400) {
		client := int(i%10) + 1
		h = append(h, sample.Op(2*i, client, history.Invoke, history.Acquire, 0), sample.Op(2*i+1, client, history.OK, history.Acquire, i+1))
	}
	res := checker.Result{Properties: []checker.Property{{Anomalies: []checker.Anomaly{{Kind: "double-grant", Time: 799 * ms}}}}}
	steps := story.New(report.Run{Scenario: "herd"}, res, h).Steps()
	if len(steps) > 100 || steps[len(steps)-1] != "double-grant" {
		t.Errorf("%d rows, the last is %q", len(steps), steps[len(steps)-1])
	}
	if strings.Contains(strings.Join(steps, "\n"), "c9") {
		t.Error("more clients than fit are drawn")
	}
}

// TestStoryOfAFaultThatTakesTime draws a cause before its effect: a fault is in the drawing from
// when it began to be put in place, if something happened before its effect was seen.
func TestStoryOfAFaultThatTakesTime(t *testing.T) {
	run, _, h := delayed()
	at := func(began int64) string {
		h := append(history.History{}, h...)
		for i := range h {
			if h[i].F == history.Fault {
				h[i].SetBegan(began * ms)
			}
		}
		var b bytes.Buffer
		if err := page.Write(&b, run, checker.Result{}, h); err != nil {
			t.Fatal(err)
		}
		return strings.Join(story.New(run, checker.Result{}, h).Steps(), "\n") + b.String()
	}
	early := at(15)
	begins, sent := strings.Index(early, "0.015 s: redis-2 – clock begins\n"), strings.Index(early, "0.020 s: c1 – write counter")
	if begins < 0 || sent < begins || strings.Count(early, `class="taken"`) != 2 {
		t.Errorf("begins at %d, the write at %d, %d marks:\n%s", begins, sent, strings.Count(early, `class="taken"`), strings.Split(early, "<!")[0])
	}
	if soon := at(29); strings.Contains(soon, "clock begins") || strings.Contains(soon, `class="taken"`) {
		t.Error("a fault that took effect at once has two rows")
	}
}

// TestStoryOfALeaseWithoutAnEnd: who was never told an end does not look valid for ever; from
// the next grant on the lease is another's.
func TestStoryOfALeaseWithoutAnEnd(t *testing.T) {
	h := history.History{
		sample.Op(0, 1, history.Invoke, history.Acquire, 0), sample.Op(10, 1, history.OK, history.Acquire, 1),
		sample.Op(50, 2, history.Invoke, history.Acquire, 0), sample.Op(60, 2, history.OK, history.Acquire, 2),
		sample.Op(70, 1, history.Invoke, history.Release, 1), sample.Op(71, 1, history.Fail, history.Release, 1),
	}
	var b bytes.Buffer
	if err := page.Write(&b, report.Run{Scenario: "s"}, checker.Result{}, h); err != nil {
		t.Fatal(err)
	}
	for class, n := range map[string]int{"hold": 0, "open": 4, "overtaken": 2} {
		if got := strings.Count(b.String(), `class="`+class+`"`); got != n {
			t.Errorf("%d marks of class %s, want %d", got, class, n)
		}
	}
}
