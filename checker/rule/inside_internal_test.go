package rule

import (
	"math"
	"testing"

	"locktorture/history"
	"locktorture/internal/borders"
	"locktorture/timeline"
)

// The tests of this package ask single functions on either side of their borders: a history that
// meets one of these borders to the nanosecond, and nothing else, is longer than the function.
// Package checker tests the rules as a whole, from histories to verdicts.

type border = borders.Border

var check = borders.Check

// A court has what rules share in a run that is known from a survey alone.
type court struct {
	*timeline.Run
	sound   timeline.Connections
	on      *Case
	latches *Latches
}

// emptyView is a court for a history without entries.
func emptyView(t *testing.T, o timeline.Options) court {
	t.Helper()
	s, err := timeline.Survey(history.History{}, o)
	if err != nil {
		t.Fatal(err)
	}
	c := NewCase(s, timeline.Connections{})
	return court{s, c.sound, c, NewLatches(c)}
}

// based is what a rule works with that is asked by itself.
func based(v court) base { return v.on.base() }

// ofPiece is a whole history of these leases.
func ofPiece(list ...*timeline.Lease) *timeline.Piece {
	return &timeline.Piece{Lock: &timeline.Lock{Name: "L", Leases: list}, Before: math.MaxInt64, Last: true}
}

func moment(t int64) *history.Op { return &history.Op{Time: t} }

// leased is the lease n of client n and process n, called for and granted at one moment and
// promised until another.
func leased(n, granted, end int64) *timeline.Lease {
	return &timeline.Lease{
		Lock: &timeline.Lock{Name: "L"}, Number: n, Client: int(n), Process: int(n), Inv: moment(granted), Ret: moment(granted), Since: granted,
		End: end, Told: end, Gone: end,
	}
}
