package checker

import (
	"math"
	"testing"

	"locktorture/history"
	"locktorture/timeline"
)

// The tests of this package that are named *_internal_test.go ask single functions on either
// side of their borders: a history that meets one of these borders to the nanosecond, and
// nothing else, is longer than the function.

// A court is a judge of a run that is known from a survey alone.
type court struct {
	*timeline.Run
	sound timeline.Connections
	judge *judge
}

// emptyView is a court for a history without entries.
func emptyView(t *testing.T, o timeline.Options) court {
	t.Helper()
	s, err := timeline.Survey(history.History{}, o)
	if err != nil {
		t.Fatal(err)
	}
	sound := timeline.Connections{}
	j := newJudge(s, sound, nil)
	return court{s, sound, j}
}

// based is what a rule works with that is asked by itself.
func based(v court) base { return v.judge.base() }

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

// A border is a question to a function and the answer that is right.
type border struct {
	name      string
	got, want any
}

func check(t *testing.T, list []border) {
	t.Helper()
	for _, b := range list {
		if b.got != b.want {
			t.Errorf("%s: %v, want %v", b.name, b.got, b.want)
		}
	}
}
