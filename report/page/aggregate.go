package page

import (
	"encoding/binary"
	"slices"
)

// Bounds of a page: with them a run of a million operations stays well under
// 15 MB and draws in a moment.
const (
	maxItems = 250_000
	maxCells = 150_000
	maxBins  = 2000
	groups   = 5
)

// A group is what the cells of an aggregated stretch count.
const (
	groupWait   = iota // share of time, in 255ths
	groupHold          // the same
	groupBeyond        // the same
	groupAccess        // accepted store operations, at most 255
	groupBad           // refused and lost, crashes: at most 255
)

// windows returns where items are kept one by one: all of the run if they are few, else the
// neighbourhoods of the given moments (µs) that have at most so many of them.
func (c *crowd) windows(moments []int64, end int64, most int) []stretch {
	if c.total <= most {
		return []stretch{{0, end}}
	}
	if len(moments) == 0 {
		moments = []int64{0}
	}
	width := end / 8
	windows := around(moments, width)
	for c.in(windows) > most && width > 0 {
		width = width * 2 / 3
		windows = around(moments, width)
	}
	if c.in(windows) > 2*most {
		return nil // too many at the moments themselves
	}
	return windows
}

// A stretch is a piece of the run, in µs.
type stretch struct{ From, To int64 }

// around merges the neighbourhoods of the moments.
func around(moments []int64, width int64) []stretch {
	moments = slices.Clone(moments)
	slices.Sort(moments)
	var out []stretch
	for _, m := range moments {
		s := stretch{max(0, m-width), m + width}
		if n := len(out); n > 0 && s.From <= out[n-1].To {
			out[n-1].To = s.To
			continue
		}
		out = append(out, s)
	}
	return out
}

func inside(it item, windows []stretch) bool {
	i, _ := slices.BinarySearchFunc(windows, it.start, func(w stretch, t int64) int {
		switch {
		case w.To < t:
			return -1
		case w.From > t:
			return 1
		}
		return 0
	})
	return i < len(windows) && windows[i].From <= it.start && it.start <= windows[i].To
}

// A sum adds up items by lane, group and bin.
type sum struct {
	bins  int
	width int64 // of a bin, µs
	total []float64
}

func newSum(t *picture) *sum {
	bins := max(20, min(maxBins, maxCells/max(1, len(t.lanes)*groups)))
	return &sum{bins: bins, width: t.end/int64(bins) + 1, total: make([]float64, len(t.lanes)*groups*bins)}
}

func (s *sum) at(lane, group int, bin int64) *float64 {
	return &s.total[(lane*groups+group)*s.bins+int(bin)]
}

func (s *sum) add(it item) {
	group := groupBad
	switch {
	case it.kind == itemOpen || it.kind == itemRun:
		s.spread(it, groupHold)
		return
	case it.kind == itemOvertaken:
		s.spread(it, groupBeyond)
		return
	case it.kind <= itemBeyond:
		s.spread(it, it.kind) // waits, holds and holds beyond are numbered as their groups
		return
	case it.flags&(flagFail|flagUnknown) == 0 && (it.kind <= itemRelease || it.kind == itemEffect && it.flags == 0):
		group = groupAccess
	}
	*s.at(it.lane, group, min(it.start/s.width, int64(s.bins-1)))++
}

// spread gives each bin the share of its time that the item covers.
func (s *sum) spread(it item, group int) {
	for from, end := it.start, it.start+it.dur; from < end; {
		bin := min(from/s.width, int64(s.bins-1))
		to := min(end, (bin+1)*s.width)
		if to <= from {
			return
		}
		*s.at(it.lane, group, bin) += float64(to-from) * 255 / float64(s.width)
		from = to
	}
}

// encode writes the cells that are not empty: the distance from the one
// before as a varint, and the value as a byte.
func (s *sum) encode() []byte {
	var out []byte
	before := -1
	for i, v := range s.total {
		if v <= 0 {
			continue
		}
		out = binary.AppendUvarint(out, uint64(i-before))
		out = append(out, byte(max(1, min(255, v))))
		before = i
	}
	return out
}
