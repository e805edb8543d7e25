package timeline

import (
	"locktorture/history"
	"locktorture/internal/borders"
)

// The tests of this package that are named *_internal_test.go ask single functions on either
// side of their borders: a history that meets one of these borders to the nanosecond, and
// nothing else, is longer than the function.

func moment(t int64) *history.Op { return &history.Op{Time: t} }

// leased is the lease n of client n and process n, called for and granted at one moment and
// promised until another.
func leased(n, granted, end int64) *Lease {
	return &Lease{
		Lock: &Lock{Name: "L"}, Number: n, Client: int(n), Process: int(n), Inv: moment(granted), Ret: moment(granted), Since: granted,
		End: end, Told: end, Gone: end,
	}
}

func sight(at int64, node, owner string, until int64) *history.Op {
	return &history.Op{F: history.Probe, Time: at, Node: node, Value: owner, UntilMax: until}
}

type border = borders.Border

var check = borders.Check
