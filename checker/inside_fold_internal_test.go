package checker

import (
	"testing"

	"locktorture/history"
)

// A deaf follower takes no notice of what it is told.
type deaf struct{}

func (deaf) called(*lockView, *wait)  {}
func (deaf) granted(*lockView, *wait) {}
func (deaf) ended(*lockView, *wait)   {}
func (deaf) settled(*piece)           {}

type deafStores struct{}

func (deafStores) called(*flight)        {}
func (deafStores) add(*access, int, int) {}
func (deafStores) over(int64)            {}
func (deafStores) last()                 {}

// emptySurvey is the survey of a history without entries.
func emptySurvey(t *testing.T, o Options) *survey {
	t.Helper()
	s, err := surveyOf(history.History{}, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// emptyFold is the fold of a history without entries, and nobody follows it.
func emptyFold(t *testing.T, o Options) *view {
	t.Helper()
	return newView(emptySurvey(t, o), connections{}, whole, following{locks: deaf{}, stores: deafStores{}})
}
