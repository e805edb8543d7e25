package checker_test

import (
	"testing"

	"locktorture/checker/linear"
	"locktorture/history"
)

// cas is a conditional write of L/v from one value to another. Without an
// apply number the order is not known, and the register model has to find one.
func (b *build) cas(client int, from, to string, call, ret int64, t history.Type, applied bool) *build {
	op := history.Op{F: history.CAS, Process: client, Client: client, Lock: "L", Store: plain, Key: "L/v", Guard: "L/v", Expect: from, Value: to}
	if applied {
		b.apply++
	}
	n := b.apply
	return b.add(call, ret, op, t, func(o *history.Op) {
		if t == history.Fail {
			o.Refused = history.ByStore
		} else if applied {
			o.Apply = n
		}
	})
}

func TestConditionalWrites(t *testing.T) {
	one := map[string]int{"nonlinearizable": 1}
	for _, ordered := range []bool{true, false} {
		rows := []row{
			{"each on what the one before wrote", mutex, nil, func(b *build) {
				b.cas(1, "", "a", 0, 10, history.OK, ordered).cas(2, "a", "b", 20, 30, history.OK, ordered)
			}, nil},
			{"two from the same value", mutex, nil, func(b *build) {
				b.cas(1, "", "a", 0, 10, history.OK, ordered).cas(2, "a", "b", 20, 30, history.OK, ordered).cas(3, "a", "c", 20, 40, history.OK, ordered)
			}, one},
			{"a refusal that the value explains", mutex, nil, func(b *build) {
				b.cas(1, "", "a", 0, 10, history.OK, ordered).cas(2, "x", "b", 20, 30, history.Fail, false)
			}, nil},
		}
		run(t, append(rows, row{"a refusal although the condition held all the time", mutex, nil, func(b *build) {
			b.cas(1, "", "a", 0, 10, history.OK, ordered).cas(2, "a", "b", 20, 30, history.Fail, false)
		}, one}))
	}
}

// TestConditionalWritesOfAFile: the same from our own JSONL, as torture check reads it.
func TestConditionalWritesOfAFile(t *testing.T) {
	for _, want := range []linear.Outcome{linear.Valid, linear.Invalid} {
		b := newBuild().cas(1, "", "a", 0, 10, history.OK, true)
		if want == linear.Invalid {
			b.cas(2, "", "b", 20, 30, history.OK, true)
		} else {
			b.cas(2, "", "b", 20, 30, history.Fail, false)
		}
		objects, err := linear.FromHistory(b.history(t))
		if err != nil {
			t.Fatal(err)
		}
		list := objects.Keys[linear.StoreKey{Store: plain, Key: "L/v"}]
		if v := linear.Check(list, "register", linear.Options{}); v.Outcome != want || len(list) != 2 {
			t.Errorf("%d operations: %s, want %s", len(list), v.Outcome, want)
		}
	}
}
