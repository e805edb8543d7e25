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

// A node answers at a time, in ms; "": it does not. The request or the reply is kept back
// until later, or lost (-1).
type reply struct {
	node, text   string
	at           int64
	asked, heard int64 // when they went on, if that was not at once
}

func said(client int, owner string, list ...reply) (out []votes.Message) {
	left := func(at, later int64) int64 {
		switch {
		case later < 0:
			return 0
		case later > 0:
			return later * ms
		}
		return at*ms + 1
	}
	for _, r := range list {
		request := "SET lock:L " + owner + " NX PX 1000"
		out = append(out, votes.Message{Client: client, Node: r.node, Text: request, Came: (r.at - 1) * ms, Left: left(r.at-1, r.asked)})
		if r.text != "" {
			out = append(out, votes.Message{Client: client, Node: r.node, Reply: true, Text: r.text, Of: request, Came: r.at * ms, Left: left(r.at, r.heard)})
		}
	}
	return out
}

// doubleGrant returns a drawing of two grants by five servers, whose clocks are moved in
// between, with what they answered.
func doubleGrant(t *testing.T, nodes []string, first, second []votes.Message) (steps []string, mermaid string) {
	t.Helper()
	one, two := sample.Op(10, 1, history.OK, history.Acquire, 1), sample.Op(40, 2, history.OK, history.Acquire, 2)
	one.Value, two.Value = "p0:a", "p1:b"
	skew := history.Op{Time: 20 * ms, Process: history.Nemesis, Type: history.Info, F: history.Fault, Key: "clock", Node: "redis-1,redis-2", Fault: 1,
		Value: "clocks of redis-1, redis-2 tell +2.700 s, while c1 holds", Traits: &history.FaultTraits{Effect: history.Skewed}}
	h := history.History{sample.Op(0, 1, history.Invoke, history.Acquire, 0), one, skew, sample.Op(30, 2, history.Invoke, history.Acquire, 0), two}
	a := checker.Anomaly{Kind: "double-grant", Time: 40 * ms, Ops: []history.Op{one, two}, Faults: []history.Op{skew}}
	set := diagram.One(a)
	if err := set.Read(h); err != nil {
		t.Fatal(err)
	}
	err := set.Trace(nodes, func(asked []votes.Question) ([][]votes.Message, error) {
		want := []votes.Question{{Client: 1, To: asked[0].To, Word: "p0:a"}, {To: 40 * ms, Word: "L"}, {Client: 2, From: 30 * ms, To: asked[2].To, Word: "p1:b"}, {From: 30 * ms, To: 40 * ms, Word: "L"}}
		if !slices.Equal(asked, want) {
			return nil, fmt.Errorf("asked for %+v, want %+v", asked, want)
		}
		all := slices.Concat(first, second)
		return [][]votes.Message{first, all, second, all}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return set.Drawn()[0].Steps, set.Mermaid()
}

func TestVotesOfAQuorum(t *testing.T) {
	first := said(1, "p0:a", reply{node: "redis-1", text: "OK", at: 5}, reply{node: "redis-2", text: "OK", at: 5}, reply{node: "redis-3", text: "OK", at: 6, heard: 14},
		reply{node: "redis-4", text: "OK", at: 6}, reply{node: "redis-5", at: 6, asked: -1})
	second := said(2, "p1:b", reply{node: "redis-1", text: "OK", at: 33}, reply{node: "redis-2", text: "OK", at: 33}, reply{node: "redis-3", text: "nil", at: 34},
		reply{node: "redis-4", text: "OK", at: 35, heard: -1}, reply{node: "redis-5", text: "OK", at: 32, heard: 39})
	steps, mermaid := doubleGrant(t, nil, first, second)
	for _, want := range []string{
		"0.010 s: c1 – redis-1 OK, redis-2 OK, redis-3 OK, too late, redis-4 OK, redis-5 lost on its way → 3\u00a0of\u00a05",
		"0.040 s: c2 – redis-1 OK (its clock +2.700 s), redis-2 OK (its clock +2.700 s), redis-3 nil, redis-4 OK, lost on its way, redis-5 OK, kept back for 7 ms → 3\u00a0of\u00a05",
		"0.005 s: node redis-1 → c1: OK to SET lock:L … NX PX 1000",
		"0.005 s: c1 → node redis-5: SET lock:L … NX PX 1000: lost on its way",
		"0.020 s: node redis-1 – clock: clocks of redis-1, redis-2 tell +2.700 s, while c1 holds",
		"0.020 s: node redis-2 – clock, as above",
		"0.040 s: c1 – what remained of these votes when c2 was granted the lock: redis-1 gone (OK to c2, its clock +2.700 s), " +
			"redis-2 gone (OK to c2, its clock +2.700 s), redis-3 kept (nil to c2), redis-4 gone (OK to c2) → 1\u00a0of\u00a04 kept",
	} {
		if !slices.Contains(steps, want) {
			t.Errorf("no step %q in\n%s", want, strings.Join(steps, "\n"))
		}
		if text := want[strings.LastIndex(want, ": ")+2:]; strings.HasPrefix(text, "OK to") && !strings.Contains(mermaid, text) {
			t.Errorf("no %q in the drawing of Mermaid", text)
		}
	}
}

// Answers to other requests are shown and not counted, a single server has no votes, and
// without a recording there is neither.
func TestWhatIsNotCounted(t *testing.T) {
	script := said(2, "p1:b", reply{node: "redis-1", text: "nil", at: 33}, reply{node: "redis-2", text: "1", at: 33})
	for i := range script {
		script[i].Text = strings.Replace(script[i].Text, "SET", "EVALSHA acquire.lua", 1)
		script[i].Of = strings.Replace(script[i].Of, "SET", "EVALSHA acquire.lua", 1)
	}
	steps, _ := doubleGrant(t, nil, said(1, "p0:a", reply{node: "redis-1", text: "OK", at: 5}), script)
	all := strings.Join(steps, "\n")
	if !strings.Contains(all, "c2 – redis-1 nil (its clock +2.700 s), redis-2 1 (its clock +2.700 s)\n") && !strings.HasSuffix(all, "redis-2 1 (its clock +2.700 s)") {
		t.Errorf("the answers to a script are not summed up:\n%s", all)
	}
	if strings.Contains(all, "→ 1\u00a0of") || strings.Contains(all, "c1 – redis-1") {
		t.Errorf("votes were counted:\n%s", all)
	}
	if steps, _ = doubleGrant(t, nil, nil, nil); strings.Contains(strings.Join(steps, "\n"), "SET") {
		t.Errorf("without a recording there are messages: %q", steps)
	}
}

// TestServersThatWereNotAsked: who cannot reach two of five servers has three votes of five,
// and who is sent on from one server to another has none.
func TestServersThatWereNotAsked(t *testing.T) {
	var first []votes.Message
	for _, n := range []string{"redis-1", "redis-2", "redis-3"} {
		first = append(first, said(1, "p0:a", reply{node: n, text: "OK", at: 5})...)
	}
	moved := said(2, "p1:b", reply{node: "redis-1", text: "error MOVED", at: 33}, reply{node: "redis-2", text: "OK", at: 34})
	steps, _ := doubleGrant(t, []string{"redis-1", "redis-2", "redis-3", "redis-4", "redis-5"}, first, moved)
	all := strings.Join(steps, "\n")
	for _, want := range []string{"redis-3 OK, redis-4 not asked, redis-5 not asked → 3\u00a0of\u00a05\n", "redis-1 error MOVED (its clock +2.700 s), redis-2 OK (its clock +2.700 s)"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in\n%s", want, all)
		}
	}
	if strings.Contains(all, "→ 1\u00a0of") {
		t.Errorf("a redirection was counted:\n%s", all)
	}
}
