package invariant_test

import (
	"fmt"
	"strings"
	"testing"

	"locktorture/checker"
	"locktorture/checker/invariant"
	"locktorture/history"
)

// TestSentences: what a reader is told of an anomaly of a workload: who did it, when, and over
// what.
func TestSentences(t *testing.T) {
	const cart, both = `{"cart":1,"name":0}`, `{"cart":1,"name":1}`
	for _, tt := range []struct {
		name string
		inv  checker.Invariant
		ops  []applied
		want string // of the first anomaly; "" for none
	}{
		{"a version again", invariant.ConfigRollout{}, []applied{{0, w, "node/1", "0"}, {1, w, "node/1", "1"}, {2, w, "node/1", "1"}},
			"node 1 got version 1 again: c2 (lease 2) wrote this version at 0.003 s (apply 3), after c1 (lease 1) had written 1 at 0.002 s (apply 2)"},
		{"a version skipped", invariant.ConfigRollout{}, []applied{{0, w, "version", "1"}, {1, w, "version", "3"}},
			"the rollout skipped from version 1 to 3: c1 (lease 1) wrote this version at 0.002 s (apply 2)"},
		{"a version taken back", invariant.ConfigRollout{}, []applied{{0, w, "version", "2"}, {1, w, "version", "1"}},
			"the rollout went back from version 2 to 1: c1 (lease 1) wrote this version at 0.002 s (apply 2)"},
		{"the first read tells where a rollout began", invariant.ConfigRollout{}, []applied{{1, r, "version", "4"}, {1, w, "version", "6"}},
			"the rollout skipped from version 4 to 6: c1 (lease 1) wrote this version at 0.002 s (apply 2)"},
		{"a later read does not", invariant.ConfigRollout{}, []applied{{0, w, "version", "1"}, {1, r, "version", "7"}, {1, w, "version", "2"}}, ""},
		{"an update that was lost", invariant.Counter{}, []applied{{0, w, "counter", "0"}, {1, r, "counter", "0"}, {2, r, "counter", "0"}, {2, w, "counter", "1"}, {1, w, "counter", "1"}},
			"c1 (lease 1) wrote L/counter = 1 at 0.005 s (apply 5) over the value 1, from its read of 0 at 0.002 s (apply 2); this overwrote the update of c2 (lease 2) at 0.004 s (apply 4)"},
		{"a beginning that no section writes", invariant.Counter{}, []applied{{0, w, "counter", "x"}},
			`L/counter held "x" at 0.001 s (apply 1, the initial state), but no section writes this value`},
		{"the greatest number", invariant.Counter{}, []applied{{0, w, "counter", "1125899906842624"}}, ""},
		{"a greater one", invariant.Counter{}, []applied{{0, w, "counter", "1125899906842625"}},
			`L/counter held "1125899906842625" at 0.001 s (apply 1, the initial state), but no section writes this value`},
		{"the least number", invariant.Counter{}, []applied{{0, w, "counter", "-1125899906842624"}}, ""},
		{"a lesser one", invariant.Counter{}, []applied{{0, w, "counter", "-1125899906842625"}},
			`L/counter held "-1125899906842625" at 0.001 s (apply 1, the initial state), but no section writes this value`},
		{"a record with holes", invariant.FileAppend{}, []applied{{0, w, "end", "0"}, {1, w, "block/1", "a 2/3"}, {1, w, "end", "3"}},
			`at 0.003 s (apply 3), c1 (lease 1) appended a record that reads nothing, "a 2/3", nothing`},
		{"a record of twenty blocks, of which sixteen are told", invariant.FileAppend{}, []applied{{0, w, "end", "0"}, {1, w, "block/0", "a 1/20"}, {1, w, "end", "20"}},
			`at 0.003 s (apply 3), c1 (lease 1) appended a record that reads "a 1/20"` + strings.Repeat(", nothing", 15) + `, and 4 more`},
		{"an end that does not move", invariant.FileAppend{}, []applied{{0, w, "end", "0"}, {1, w, "block/0", "a 1/1"}, {1, w, "end", "1"}, {2, w, "end", "1"}},
			"at 0.004 s (apply 4), c2 (lease 2) moved the file's end from 1 back to 1 (so later records overwrite earlier ones)"},
		{"reads move nothing", invariant.FileAppend{}, []applied{{0, w, "end", "0"}, {1, w, "block/0", "a 1/1"}, {1, w, "end", "1"}, {2, r, "end", "1"}}, ""},
		{"reads make no leader", invariant.Leader{}, []applied{{1, w, "leader", "a"}, {2, r, "leader", "a"}, {1, w, "action", "a 1"}}, ""},
		{"nor does the initial state", invariant.Leader{}, []applied{{1, w, "leader", "a"}, {0, w, "leader", "nobody"}, {1, w, "action", "a 1"}}, ""},
		{"another's value", invariant.Register{}, []applied{{1, w, "register", "a"}, {2, w, "register", "b"}, {1, r, "register", "b"}},
			"c1 (lease 1) had written a at 0.001 s (apply 1) and read b at 0.003 s (apply 3), which c2 (lease 2) had written at 0.002 s (apply 2)"},
		{"a value from nowhere", invariant.Register{}, []applied{{1, r, "register", "i"}, {1, r, "register", "j"}},
			"c1 (lease 1) had read i at 0.001 s (apply 1) and read j at 0.002 s (apply 2)"},
		{"a field lost", invariant.Session{}, []applied{{0, w, "document", `{"cart":0,"name":0}`}, {1, w, "document", cart}, {2, w, "document", `{"cart":0,"name":1}`}},
			`c2 (lease 2) wrote L/document at 0.003 s (apply 3): field "cart" fell from 1 to 0, so the change of c1 (lease 1) at 0.002 s (apply 2) was lost`},
		{"a field that nobody was seen to change", invariant.Session{}, []applied{{1, r, "document", both}, {2, w, "document", cart}},
			`c2 (lease 2) wrote L/document at 0.002 s (apply 2): field "name" fell from 1 to 0`},
		{"a page read twice", invariant.Document{}, []applied{{0, w, "page/1", "0"}, {1, r, "page/1", "0"}, {2, w, "page/1", "1"}, {1, r, "page/1", "1"}},
			"c1 (lease 1) read version 0 of L/page/1 at 0.002 s (apply 2) and read version 1 at 0.004 s (apply 4), in one section: c2 (lease 2) wrote this version at 0.003 s (apply 3)"},
		{"a page that nobody was seen to write", invariant.Document{}, []applied{{1, r, "page/1", "0"}, {1, r, "page/1", "1"}},
			"c1 (lease 1) read version 0 of L/page/1 at 0.001 s (apply 1) and read version 1 at 0.002 s (apply 2), in one section"},
		{"a page read after it was written", invariant.Document{}, []applied{{1, r, "page/1", "0"}, {1, w, "page/1", "1"}, {2, w, "page/1", "2"}, {1, r, "page/1", "2"}},
			"c1 (lease 1) wrote version 1 of L/page/1 at 0.002 s (apply 2) and read version 2 at 0.004 s (apply 4), in one section: c2 (lease 2) wrote this version at 0.003 s (apply 3)"},
		{"a version lost", invariant.Document{}, []applied{{0, w, "page/1", "0"}, {1, w, "page/1", "1"}, {2, w, "page/1", "1"}},
			"c2 (lease 2) wrote version 1 of L/page/1 at 0.003 s (apply 3) over 1; this overwrote the version of c1 (lease 1) at 0.002 s (apply 2)"},
		{"a version that nobody was seen to write", invariant.Document{}, []applied{{1, r, "page/1", "4"}, {1, w, "page/1", "6"}},
			"c1 (lease 1) wrote version 6 of L/page/1 at 0.002 s (apply 2) over 4"},
		{"reading a document changes nothing", invariant.Session{}, []applied{{0, w, "document", cart}, {1, r, "document", both}, {1, w, "document", both}}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found, _ := checker.Replayed(tt.inv, applies(tt.ops))
			got := ""
			if len(found) > 0 {
				got = found[0].Sentence
			}
			if got != tt.want {
				t.Errorf("%q\nwant %q", got, tt.want)
			}
		})
	}
}

// TestLosses: what is told beside what was lost.
func TestLosses(t *testing.T) {
	judge(t, invariant.Session{}, "changes", []invariantRow{
		{"a document that was full of changes in the beginning", []applied{{0, w, "document", `{"a":5}`}, {1, w, "document", `{"a":6}`}, {2, w, "document", `{"a":7}`}}, nil, checker.Loss{Of: 2}},
		{"two of three changes of it lost", []applied{{0, w, "document", `{"a":5}`}, {1, w, "document", `{"a":6}`}, {2, w, "document", `{"a":6}`}, {3, w, "document", `{"a":6}`}},
			map[string]int{"lost-field": 2}, checker.Loss{Lost: 2, Of: 3}},
	})
	judge(t, invariant.CacheRebuild{}, "rebuilds", []invariantRow{{"nothing was rebuilt", []applied{{1, r, "expiry", "1"}}, nil, checker.Loss{}}})
	judge(t, invariant.Leader{}, "actions", []invariantRow{{"one leader", []applied{{1, w, "leader", "a"}, {1, w, "action", "a 1"}}, nil, checker.Loss{Of: 1}}})
	judge(t, invariant.IDAllocation{}, "ids", []invariantRow{
		{"the initial state is no worker's", []applied{{1, w, "worker/0", "3 a"}, {0, w, "worker/0", "0 nobody"}, {1, w, "id/0-0", "a"}}, nil, checker.Loss{Of: 1}},
		{"nor does a reader become one", []applied{{1, w, "worker/0", "3 a"}, {2, r, "worker/0", "3 a"}, {1, w, "id/0-0", "a"}}, nil, checker.Loss{Of: 1}},
	})
	judge(t, invariant.StateMachine{}, "steps", []invariantRow{
		{"reads move nothing", []applied{{0, w, "order/1", "created"}, {0, w, "current", "1"}, {1, r, "order/1", "paid"}, {1, r, "current", "7"}, {2, w, "order/1", "paid"}}, nil, checker.Loss{Of: 1}},
		{"a step of what is no order", []applied{{1, w, "orders/1", "done"}}, nil, checker.Loss{}},
	})
}

// TestWhoDidIt: a section is named by its client, a history by other hands by its process.
func TestWhoDidIt(t *testing.T) {
	for _, tt := range []struct {
		client, process int
		lease           int64
		want            string
	}{
		{0, -1, 0, "the initial state"},
		{3, 4, 0, "c3 (without the lock)"},
		{0, 4, 5, "process 4 (lease 5)"},
		{3, 4, 5, "c3 (lease 5)"},
	} {
		op := history.Op{Time: ms, Type: history.OK, F: w, Lock: "L", Key: "L/counter", Value: "x", Apply: 1, Client: tt.client, Process: tt.process, Lease: tt.lease}
		found, _ := checker.Replayed(invariant.Counter{}, []history.Op{op})
		if want := fmt.Sprintf(`L/counter held "x" at 0.001 s (apply 1, %s), but no section writes this value`, tt.want); len(found) != 1 || found[0].Sentence != want {
			t.Errorf("%+v, want %q", found, want)
		}
	}
}

// TestWithoutTheLock: a write of a client that has no lease is judged, it is no beginning.
func TestWithoutTheLock(t *testing.T) {
	list := applies([]applied{{0, w, "counter", "0"}, {1, w, "counter", "1"}, {0, w, "counter", "5"}})
	list[2].Client = 3
	if found, _ := checker.Replayed(invariant.Counter{}, list); len(found) != 1 || !strings.HasPrefix(found[0].Sentence, "c3 (without the lock) wrote L/counter = 5") {
		t.Errorf("%+v", found)
	}
}

// TestWholeTotals: a total of which nobody knows the beginning, or that came out right, is not
// told of.
func TestWholeTotals(t *testing.T) {
	const open, less, more = `{"balance":1000}`, `{"balance":900}`, `{"balance":1100}`
	transfer := func(steps ...[2]string) (list []history.Op) {
		for i, s := range steps {
			lease := int64(max(0, i-1))
			list = append(list, applies([]applied{{lease, w, "account", s[1]}})[0])
			list[i].Lock, list[i].Key, list[i].Time, list[i].Apply = s[0], s[0]+"/account", int64(i+1)*ms, int64(i+1)
		}
		return list
	}
	found, loss := checker.Replayed(invariant.Transfer{}, transfer([2]string{"A", open}, [2]string{"B", open}))
	if len(found) != 0 || loss.Note != "" {
		t.Errorf("untouched: %+v %+v", found, loss)
	}
	found, loss = checker.Replayed(invariant.Transfer{}, transfer([2]string{"A", open}, [2]string{"B", open}, [2]string{"A", less}))
	if want := "c1 (lease 1) wrote A/account = {\"balance\":900} at 0.003 s (apply 3), and the total of all accounts went from 2000 to 1900 (at the beginning it was 2000)"; len(found) != 1 || !strings.HasPrefix(found[0].Sentence, want) || loss.Note != "the total of 2000 became 1900" {
		t.Errorf("taken and not given: %+v %+v", found, loss)
	}
	for _, bad := range []string{"{", `{"balance":2251799813685248}`, `{"balance":1000,"pending":{"id":"x","with":"B","balance":2251799813685248,"first":true}}`} {
		if found, _ := checker.Replayed(invariant.Transfer{}, transfer([2]string{"A", open}, [2]string{"B", more}, [2]string{"A", bad})); len(found) != 1 || found[0].Kind != "torn-write" {
			t.Errorf("%s: %+v", bad, found)
		}
	}
}
