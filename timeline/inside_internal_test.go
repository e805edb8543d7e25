package timeline

import (
	"testing"

	"locktorture/history"
)

// A deaf follower takes no notice of what it is told.
type deaf struct{}

func (deaf) Called(*Lock, *Call)  {}
func (deaf) Granted(*Lock, *Call) {}
func (deaf) Ended(*Lock, *Call)   {}
func (deaf) Settled(*Piece)       {}

type deafStores struct{}

func (deafStores) Called(*Flight)        {}
func (deafStores) Add(*Access, int, int) {}
func (deafStores) Over(int64)            {}
func (deafStores) Last()                 {}

// emptySurvey is the survey of a history without entries.
func emptySurvey(t *testing.T, o Options) *Run {
	t.Helper()
	s, err := Survey(history.History{}, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// emptyFold is the fold of a history without entries, and nobody follows it.
func emptyFold(t *testing.T, o Options) *Fold {
	t.Helper()
	return newFold(emptySurvey(t, o), Connections{}, Whole, Followers{Locks: deaf{}, Stores: deafStores{}})
}

// emptySurveyor is a first reading that has seen no entry.
func emptySurveyor(t *testing.T, o Options) *surveyor {
	t.Helper()
	s := newSurveyor(o)
	s.Run = emptySurvey(t, o)
	return s
}
