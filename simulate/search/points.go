package search

import (
	"slices"

	"locktorture/nemesis/points/schedule"
	"locktorture/simulate"
)

// spots are points of a run, in order, and by class.
type spots struct {
	all     []simulate.Point
	classes []string
	byClass map[string][]simulate.Point
}

// spotsOf are the points of a run that are wanted.
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

// messages are the points at which any fault can strike.
func messages(p simulate.Point) bool { return p.Kind != schedule.Gate }

func anywhere(simulate.Point) bool { return true }

// where are those that are wanted.
func (s *spots) where(wanted func(simulate.Point) bool) *spots { return spotsOf(s.all, wanted) }

// within are those in a time, both ends included.
func (s *spots) within(from, to int64) *spots {
	return s.where(func(p simulate.Point) bool { return from <= p.At && p.At <= to })
}
