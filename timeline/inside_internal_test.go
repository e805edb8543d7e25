package timeline

import (
	"testing"

	"locktorture/history"
)

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
	return newFold(emptySurvey(t, o), Connections{}, Whole, Followers{Locks: &walker{Fold: &Fold{}}, Stores: noStores{}})
}

// emptySurveyor is a first reading that has seen no entry.
func emptySurveyor(t *testing.T, o Options) *surveyor {
	t.Helper()
	s := newSurveyor(o)
	s.Run = emptySurvey(t, o)
	return s
}
