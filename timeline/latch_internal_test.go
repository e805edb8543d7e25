package timeline

import (
	"testing"

	"locktorture/history"
)

// TestLatchEnd: a wait that was not let in ended with its client.
func TestLatchEnd(t *testing.T) {
	v := emptyFold(t, Options{})
	v.End, v.crashed[1] = 1000, 500
	end := func(process int, call int64, ret *history.Op) int64 {
		return v.LatchEnd(LatchCall{&history.Op{F: history.Await, Process: process, Time: call}, ret})
	}
	check(t, []border{
		{"killed", end(1, 499, nil), int64(500)}, {"killed as it called", end(1, 500, nil), int64(500)}, {"killed before", end(1, 501, nil), int64(1000)},
		{"let in", end(1, 100, &history.Op{Time: 600, Type: history.OK}), int64(600)}, {"not killed", end(2, 100, nil), int64(1000)},
	})
}

// TestChanging: an upgrade is under way until its answer.
func TestChanging(t *testing.T) {
	l := &Lease{Changes: []history.Call{{Invoke: moment(100), Return: moment(200)}}}
	check(t, []border{
		{"as it was called", l.Changing(100) != nil, false}, {"1 ns later", l.Changing(101) != nil, true}, {"with its answer", l.Changing(200) != nil, true}, {"1 ns later", l.Changing(201) != nil, false},
	})
}
