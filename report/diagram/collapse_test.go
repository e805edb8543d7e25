package diagram_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"locktorture/checker"
	"locktorture/history"
	"locktorture/report/diagram"
	"locktorture/report/internal/sample"
	"locktorture/report/votes"
)

// fiveServers returns a drawing of grants to so many clients, one each 10 ms, by five servers
// that all say OK. A fault of their clocks began at 21 ms, and its effect was seen at 39 ms.
func fiveServers(t *testing.T, clients int) diagram.Diagram {
	t.Helper()
	var h, grants history.History
	var nodes []string
	answers := map[int][]votes.Message{}
	for n := range 5 {
		nodes = append(nodes, fmt.Sprintf("redis-%d", n+1))
	}
	for c := 1; c <= clients; c++ {
		at := int64(10 * c)
		op := sample.Op(at, c, history.OK, history.Acquire, int64(c))
		op.Value = fmt.Sprintf("p%d:x", c)
		h, grants = append(h, sample.Op(at-5, c, history.Invoke, history.Acquire, 0), op), append(grants, op)
		for _, n := range nodes {
			answers[c] = append(answers[c], said(c, op.Value, reply{node: n, text: "OK", at: at - 2})...)
		}
	}
	clock := history.Op{Time: 39 * ms, Process: history.Nemesis, Type: history.Info, F: history.Fault, Key: "clock", Node: strings.Join(nodes, ","), Fault: 1, Value: "clocks jumped"}
	clock.SetBegan(21 * ms)
	set := diagram.One(checker.Anomaly{Kind: "double-grant", Time: 90 * ms, Ops: grants, Faults: []history.Op{clock}})
	if err := set.Read(h); err != nil {
		t.Fatal(err)
	}
	err := set.Trace(nodes, func(asked []votes.Question) (out [][]votes.Message, err error) {
		for _, q := range asked {
			out = append(out, answers[q.Client])
		}
		return out, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return set.Drawn()[0]
}

func labels(d diagram.Diagram) (list []string) {
	for _, r := range d.Rows {
		var line []string
		for _, l := range r.Label {
			line = append(line, l.Text)
		}
		list = append(list, strings.ReplaceAll(strings.Join(line, " "), "\u00a0", " "))
	}
	return list
}

// TestCauseStandsBeforeItsEffect: what servers said while a fault was being put in place stands
// below its beginning, and between the two the lifeline is marked.
func TestCauseStandsBeforeItsEffect(t *testing.T) {
	d := fiveServers(t, 3)
	all := labels(d)
	begins := slices.IndexFunc(all, func(s string) bool { return strings.Contains(s, "clock begins") })
	votes := slices.IndexFunc(d.Steps, func(s string) bool { return strings.HasPrefix(s, "0.028 s: node redis-1 → c3") })
	words := slices.IndexFunc(d.Steps, func(s string) bool { return strings.HasPrefix(s, "0.021 s: ") && strings.Contains(s, "clock begins") })
	seen := slices.IndexFunc(all, func(s string) bool { return strings.Contains(s, "clocks jumped") })
	if begins < 0 || seen < begins+2 || words < 0 || votes < words {
		t.Errorf("it begins in row %d and was seen in row %d; in words %d, the votes %d:\n%s", begins, seen, words, votes, strings.Join(d.Steps, "\n"))
	}
	marked := false
	for _, b := range d.Bars {
		marked = marked || b.Class == "taken" && b.Y == d.Rows[begins].Y && b.Y+b.H == d.Rows[seen].Y
	}
	if !marked {
		t.Errorf("no mark from %d to %d among %+v", d.Rows[begins].Y, d.Rows[seen].Y, d.Bars)
	}
}

// TestEqualVotesAreOneRow: five servers that say the same do so in one row, and the drawing of
// four clients is no wider than a page.
func TestEqualVotesAreOneRow(t *testing.T) {
	for clients := 2; clients <= 4; clients++ {
		d := fiveServers(t, clients)
		var alike int
		for _, l := range labels(d) {
			if strings.Contains(l, "OK to SET lock:L … NX PX 1000") {
				alike++
			}
		}
		if alike != clients || d.W > 1180 {
			t.Errorf("%d clients: %d rows of votes, and the drawing is %d wide:\n%s", clients, alike, d.W, strings.Join(labels(d), "\n"))
		}
	}
	if all := strings.Join(labels(fiveServers(t, 4)), "\n"); !strings.Contains(all, "5 of 5: OK to SET") || !strings.Contains(all, "\n5 of 5 OK") {
		t.Errorf("the votes are not counted:\n%s", all)
	}
}

// TestLeaseWithoutAnEnd: a lease of which no end was told does not look valid, and is marked
// otherwise from when its lock was granted to another.
func TestLeaseWithoutAnEnd(t *testing.T) {
	one, two := sample.Op(10, 1, history.OK, history.Acquire, 1), sample.Op(40, 2, history.OK, history.Acquire, 2)
	h := history.History{sample.Op(0, 1, history.Invoke, history.Acquire, 0), one, sample.Op(30, 2, history.Invoke, history.Acquire, 0), two}
	for _, told := range []bool{false, true} {
		set := diagram.One(checker.Anomaly{Kind: "double-grant", Time: 40 * ms, Ops: []history.Op{one, two}})
		if told {
			ask, answer := sample.Op(10, 1, history.Invoke, history.Ask, 1), sample.Op(11, 1, history.OK, history.Ask, 1)
			answer.SetValidity(35*ms, 36*ms)
			h = slices.Insert(h, 2, ask, answer)
		}
		if err := set.Read(h); err != nil {
			t.Fatal(err)
		}
		var classes []string
		for _, b := range set.Drawn()[0].Bars {
			classes = append(classes, b.Class)
		}
		want := map[bool]string{false: "open overtaken open", true: "hold beyond open"}[told]
		if got := strings.Join(classes, " "); got != want {
			t.Errorf("told %v: bars %s, want %s", told, got, want)
		}
	}
}
