package search

import (
	"slices"

	"locktorture/nemesis/points/schedule"
	"locktorture/simulate"
)

// spots holds points of a run in order, and grouped by class.
type spots struct {
	all     []simulate.Point
	classes []string
	byClass map[string][]simulate.Point
}

// spotsOf returns the wanted points of a run.
func spotsOf(points []simulate.Point, wanted func(simulate.Point) bool) *spots {
	s := &spots{byClass: map[string][]simulate.Point{}}
	for _, p := range points {
		if !wanted(p) {
			continue
		}
		c := p.Class()
		if s.byClass[c] == nil {
			s.classes = append(s.classes, c)
		}
		s.all, s.byClass[c] = append(s.all, p), append(s.byClass[c], p)
	}
	slices.Sort(s.classes)
	return s
}

// messages reports whether every kind of fault can strike at p.
func messages(p simulate.Point) bool { return p.Kind != schedule.Gate }

func anywhere(simulate.Point) bool { return true }

// where returns the wanted points.
func (s *spots) where(wanted func(simulate.Point) bool) *spots { return spotsOf(s.all, wanted) }

// within returns the points in an interval of time, with both ends.
func (s *spots) within(from, to int64) *spots {
	return s.where(func(p simulate.Point) bool { return from <= p.At && p.At <= to })
}
