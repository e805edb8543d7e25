package invariant_test

import (
	"testing"

	"locktorture/checker"
	"locktorture/checker/invariant"
	"locktorture/history"
)

// TestBeginnings: where a workload begins: at its initial state, or else at what was read
// first. What is read later, or was read where there was nothing yet, moves it no more.
func TestBeginnings(t *testing.T) {
	judge(t, invariant.Seckill{}, "units", []invariantRow{
		{"the first read tells the stock", []applied{{1, r, "stock/1", "2"}, {1, w, "stock/1", "1"}, {1, w, "order/1/7", "a"}, {2, w, "stock/1", "1"}, {2, w, "order/1/8", "b"}},
			map[string]int{"oversold": 1}, checker.Loss{Lost: 1, Of: 2}},
		{"a look before the sale was filled does not", []applied{{1, r, "stock/1", ""}, {2, w, "stock/1", "2"}, {3, w, "stock/1", "1"}, {3, w, "order/1/7", "a"}},
			nil, checker.Loss{Of: 1}},
		{"what is neither stock nor order", []applied{{1, w, "visits/1", "1"}, {1, w, "visits/1/7", "a"}, {1, w, "order/1", "a"}, {1, w, "stock", "9"}},
			nil, checker.Loss{}},
	})
	judge(t, invariant.StateMachine{}, "steps", []invariantRow{
		{"the first read tells which order is current", []applied{{1, r, "current", "4"}, {1, w, "current", "6"}},
			map[string]int{"illegal-transition": 1}, checker.Loss{Lost: 1, Of: 1}},
		{"a later read does not", []applied{{0, w, "current", "1"}, {1, r, "current", "7"}, {2, w, "current", "2"}}, nil, checker.Loss{Of: 1}},
		{"an order goes its way before it is current", []applied{{0, w, "current", "1"}, {1, w, "order/2", "created"}, {2, w, "order/2", "shipped"}},
			map[string]int{"illegal-transition": 1}, checker.Loss{Lost: 1, Of: 2}},
	})
	const zero, cart, both = `{"cart":0,"name":0}`, `{"cart":1,"name":0}`, `{"cart":1,"name":1}`
	judge(t, invariant.Session{}, "changes", []invariantRow{
		{"written anew after a look at what stood there before", []applied{{1, r, "document", both}, {0, w, "document", zero}, {2, w, "document", cart}},
			nil, checker.Loss{Of: 1}},
	})
}

// TestLedgerBeginnings: accounts are opened before anything is transferred; what was not
// opened has no total to keep.
func TestLedgerBeginnings(t *testing.T) {
	const open, less, more = `{"balance":1000}`, `{"balance":900}`, `{"balance":1100}`
	type step = struct {
		account string
		applied
	}
	for _, tt := range []struct {
		name  string
		steps []step
		wrong int
	}{
		{"opened twice", []step{{"A", applied{0, w, "account", open}}, {"A", applied{0, w, "account", open}}, {"A", applied{1, w, "account", open}}}, 0},
		{"never opened", []step{{"A", applied{1, w, "account", less}}, {"B", applied{1, w, "account", more}}}, 0},
		{"another key of the lock", []step{{"A", applied{0, w, "account", open}}, {"A", applied{1, w, "log", "x"}}}, 0},
		{"a read, however wrong, changes nothing", []step{{"A", applied{0, w, "account", open}}, {"A", applied{1, r, "account", less}}, {"A", applied{1, r, "account", "{"}}}, 0},
		{"opened, then spent", []step{{"A", applied{0, w, "account", open}}, {"A", applied{1, w, "account", less}}}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var list []history.Op
			for i, s := range tt.steps {
				op := applies([]applied{s.applied})[0]
				op.Lock, op.Key, op.Apply, op.Time = s.account, s.account+"/"+s.key, int64(i+1), int64(i+1)*ms
				list = append(list, op)
			}
			if found, loss := checker.Replayed(invariant.Transfer{}, list); len(found) != tt.wrong {
				t.Errorf("%+v, %+v", found, loss)
			}
		})
	}
}

// TestNotesOfObjects: what is told beside the loss is told of one object, and not of a sum.
func TestNotesOfObjects(t *testing.T) {
	on := func(object string) []history.Op {
		return applies([]applied{{1, r, object + "database", "d"}, {1, w, object + "cache/1", "a"}})
	}
	const note = "1 expiry caused 1 query to the database"
	for _, tt := range []struct {
		name string
		ops  []history.Op
		want checker.Loss
	}{
		{"the lock guards one object", on(""), checker.Loss{Of: 1, Unit: "rebuilds", Note: note}},
		{"one of several", on("k1/"), checker.Loss{Of: 1, Unit: "rebuilds"}},
		{"two of several", append(on("k1/"), on("k2/")...), checker.Loss{Of: 2, Unit: "rebuilds"}},
		{"itself, and one of several", append(on(""), on("k2/")...), checker.Loss{Of: 2, Unit: "rebuilds"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if found, loss := checker.Replayed(invariant.PerKey{Invariant: invariant.CacheRebuild{}}, tt.ops); len(found) > 0 || loss != tt.want {
				t.Errorf("%+v, %+v, want %+v", found, loss, tt.want)
			}
		})
	}
}

// TestTornWitness: of a record by two hands the witness shows the block that the other wrote.
func TestTornWitness(t *testing.T) {
	found, _ := checker.Replayed(invariant.FileAppend{}, applies([]applied{
		{0, w, "end", "0"}, {1, w, "block/0", "a 1/3"}, {2, w, "block/1", "b 2/3"}, {1, w, "block/2", "a 3/3"}, {1, w, "end", "3"},
	}))
	if len(found) != 1 || len(found[0].Ops) != 2 || found[0].Ops[0].Value != "b 2/3" || found[0].Ops[1].Value != "3" {
		t.Errorf("%+v", found)
	}
}
