package checker

import (
	"math"
	"testing"

	"locktorture/history"
)

// The tests of this package that are named *_internal_test.go ask single functions on either
// side of their borders: a history that meets one of these borders to the nanosecond, and
// nothing else, is longer than the function.

// A court is a judge of a run that is known from a survey alone.
type court struct {
	*survey
	sound connections
	judge *judge
}

// emptyView is a court for a history without entries.
func emptyView(t *testing.T, o Options) court {
	t.Helper()
	s, err := surveyOf(history.History{}, o)
	if err != nil {
		t.Fatal(err)
	}
	sound := connections{}
	j := newJudge(s, sound, nil)
	return court{s, sound, j}
}

// based is what a rule works with that is asked by itself.
func based(v court) base { return base{v.survey, newFindings(v.judge.book)} }

// ofPiece is a whole history of these leases.
func ofPiece(list ...*lease) *piece {
	return &piece{lockView: &lockView{name: "L", leases: list}, before: math.MaxInt64, last: true}
}

func moment(t int64) *history.Op { return &history.Op{Time: t} }

// leased is the lease n of client n and process n, called for and granted at one moment and
// promised until another.
func leased(n, granted, end int64) *lease {
	return &lease{
		lock: &lockView{name: "L"}, n: n, client: int(n), process: int(n), inv: moment(granted), ret: moment(granted), since: granted,
		end: end, told: end, gone: end,
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
