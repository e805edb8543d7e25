package invariant_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktorture/checker"
	"locktorture/checker/invariant"
	"locktorture/history"
)

// An applied is one operation on a store under lease n; lease 0 is the initial state.
type applied struct {
	lease      int64
	f          history.F
	key, value string
}

func applies(list []applied) []history.Op {
	var out []history.Op
	for i, a := range list {
		out = append(out, history.Op{
			Time: int64(i+1) * ms, Client: int(a.lease), Process: int(a.lease), Type: history.OK, F: a.f,
			Lock: "L", Lease: a.lease, Store: history.Plain, Key: "L/" + a.key, Value: a.value, Apply: int64(i + 1),
		})
	}
	return out
}

const r, w = history.Read, history.Write

const ms = int64(1_000_000) // ns

type invariantRow struct {
	name string
	ops  []applied
	want map[string]int
	loss checker.Loss
}

func judge(t *testing.T, inv checker.Invariant, unit string, rows []invariantRow) {
	t.Helper()
	for _, tt := range rows {
		t.Run(tt.name, func(t *testing.T) {
			anomalies, loss := checker.Replayed(inv, applies(tt.ops))
			got := map[string]int{}
			for _, a := range anomalies {
				got[a.Kind]++
				t.Log(a.Sentence)
				if len(a.Ops) == 0 || a.Sentence == "" || a.Time == 0 {
					t.Errorf("no witness: %+v", a)
				}
			}
			if tt.want == nil {
				tt.want = map[string]int{}
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
			tt.loss.Unit = unit
			if loss != tt.loss {
				t.Errorf("loss %+v, want %+v", loss, tt.loss)
			}
		})
	}
}

func TestCounterInvariant(t *testing.T) {
	judge(t, invariant.Counter{}, "updates", []invariantRow{
		{"one after another", []applied{{0, w, "counter", "0"}, {1, r, "counter", "0"}, {1, w, "counter", "1"}, {2, r, "counter", "1"}, {2, w, "counter", "2"}},
			nil, checker.Loss{Of: 2}},
		{"both read before either wrote", []applied{{0, w, "counter", "0"}, {1, r, "counter", "0"}, {2, r, "counter", "0"}, {2, w, "counter", "1"}, {1, w, "counter", "1"}},
			map[string]int{"lost-update": 1}, checker.Loss{Lost: 1, Of: 2}},
		{"both read, one was cut off before its write", []applied{{0, w, "counter", "0"}, {1, r, "counter", "0"}, {2, r, "counter", "0"}, {2, w, "counter", "1"}},
			nil, checker.Loss{Of: 1}},
		{"two lost at one blow", []applied{{0, w, "counter", "5"}, {1, r, "counter", "5"}, {2, r, "counter", "5"}, {2, w, "counter", "6"}, {3, r, "counter", "6"}, {3, w, "counter", "7"}, {1, w, "counter", "6"}},
			map[string]int{"lost-update": 1}, checker.Loss{Lost: 2, Of: 3}},
		{"without a recorded start the first read tells", []applied{{1, r, "counter", "41"}, {1, w, "counter", "42"}},
			nil, checker.Loss{Of: 1}},
		{"a value that nobody writes", []applied{{0, w, "counter", "0"}, {1, w, "counter", "x"}}, map[string]int{"torn-write": 1}, checker.Loss{}},
	})
}

func TestCountersOfTwoLocks(t *testing.T) {
	list := applies([]applied{{0, w, "counter", "0"}, {1, r, "counter", "0"}, {1, w, "counter", "1"}})
	other := applies([]applied{{0, w, "counter", "0"}, {2, r, "counter", "0"}, {2, w, "counter", "1"}})
	for i := range other {
		other[i].Lock, other[i].Key = "M", "M/counter"
	}
	if found, _ := checker.Replayed(invariant.Counter{}, append(list, other...)); len(found) > 0 {
		t.Errorf("%+v", found)
	}
}

func TestSeckillInvariant(t *testing.T) {
	start := []applied{{0, w, "stock/1", "2"}, {0, w, "sale", "1"}}
	on := func(more ...applied) []applied { return append(start[:len(start):len(start)], more...) }
	judge(t, invariant.Seckill{}, "units", []invariantRow{
		{"one unit, one order", on(applied{1, w, "stock/1", "1"}, applied{1, w, "order/1/7", "a"}), nil, checker.Loss{Of: 1}},
		{"cut between unit and order wastes a unit", on(applied{1, w, "stock/1", "1"}, applied{2, w, "stock/1", "0"}, applied{2, w, "order/1/8", "b"}), nil, checker.Loss{Of: 1}},
		{"the same unit sold twice", on(applied{1, w, "stock/1", "1"}, applied{2, w, "stock/1", "1"}, applied{1, w, "order/1/7", "a"}, applied{2, w, "order/1/8", "b"}),
			map[string]int{"oversold": 1}, checker.Loss{Lost: 1, Of: 2}},
		{"below zero", on(applied{1, w, "stock/1", "-1"}), map[string]int{"oversold": 1}, checker.Loss{Lost: 1}},
		{"down to zero", on(applied{1, w, "stock/1", "0"}), nil, checker.Loss{}},
		{"two orders of a user", on(applied{1, w, "stock/1", "1"}, applied{1, w, "order/1/7", "a"}, applied{2, w, "stock/1", "0"}, applied{2, w, "order/1/7", "b"}),
			map[string]int{"double-order": 1}, checker.Loss{Of: 2}},
		{"an order of a user in each of two sales", on(applied{1, w, "stock/1", "1"}, applied{1, w, "order/1/7", "a"}, applied{2, w, "stock/2", "2"}, applied{2, w, "sale", "2"}, applied{3, w, "stock/2", "1"}, applied{3, w, "order/2/7", "b"}),
			nil, checker.Loss{Of: 2}},
		{"a new sale filled again after a cut, before it opened", on(applied{1, w, "stock/2", "2"}, applied{2, w, "stock/2", "2"}, applied{2, w, "sale", "2"}), nil, checker.Loss{}},
		{"a new sale filled again after a unit of it was sold", on(applied{1, w, "stock/2", "2"}, applied{1, w, "sale", "2"}, applied{3, w, "stock/2", "1"}, applied{3, w, "order/2/7", "b"}, applied{2, w, "stock/2", "2"}),
			map[string]int{"oversold": 1}, checker.Loss{Lost: 1, Of: 1}},
	})
}

func TestStateMachineInvariant(t *testing.T) {
	start := []applied{{0, w, "order/1", "created"}, {0, w, "current", "1"}}
	on := func(more ...applied) []applied { return append(start[:len(start):len(start)], more...) }
	judge(t, invariant.StateMachine{}, "steps", []invariantRow{
		{"a whole life and the next order", on(applied{1, w, "order/1", "paid"}, applied{2, w, "order/1", "shipped"}, applied{3, w, "order/1", "done"}, applied{4, w, "order/2", "created"}, applied{4, w, "current", "2"}, applied{5, w, "order/2", "paid"}),
			nil, checker.Loss{Of: 6}},
		{"a step twice", on(applied{1, w, "order/1", "paid"}, applied{2, w, "order/1", "paid"}), map[string]int{"duplicate-step": 1}, checker.Loss{Lost: 1, Of: 2}},
		{"a step left out", on(applied{1, w, "order/1", "shipped"}), map[string]int{"illegal-transition": 1}, checker.Loss{Lost: 1, Of: 1}},
		{"a step back", on(applied{1, w, "order/1", "paid"}, applied{2, w, "order/1", "shipped"}, applied{3, w, "order/1", "paid"}), map[string]int{"illegal-transition": 1}, checker.Loss{Lost: 1, Of: 3}},
		{"created again after a cut", on(applied{1, w, "order/2", "created"}, applied{2, w, "order/2", "created"}, applied{2, w, "current", "2"}), nil, checker.Loss{Of: 3}},
		{"created again after it had become current", on(applied{1, w, "order/2", "created"}, applied{1, w, "current", "2"}, applied{2, w, "order/2", "created"}), map[string]int{"duplicate-step": 1}, checker.Loss{Lost: 1, Of: 3}},
		{"created again after it was paid", on(applied{1, w, "order/2", "created"}, applied{1, w, "current", "2"}, applied{3, w, "order/2", "paid"}, applied{2, w, "order/2", "created"}), map[string]int{"illegal-transition": 1}, checker.Loss{Lost: 1, Of: 4}},
		{"moved on twice", on(applied{1, w, "order/2", "created"}, applied{2, w, "order/2", "created"}, applied{1, w, "current", "2"}, applied{2, w, "current", "2"}), map[string]int{"duplicate-step": 1}, checker.Loss{Lost: 1, Of: 4}},
		{"moved back", on(applied{1, w, "current", "2"}, applied{2, w, "current", "1"}), map[string]int{"illegal-transition": 1}, checker.Loss{Lost: 1, Of: 2}},
		{"without a recorded start the reads tell", []applied{{1, r, "current", "4"}, {1, r, "order/4", "paid"}, {1, w, "order/4", "shipped"}}, nil, checker.Loss{Of: 1}},
	})
}
