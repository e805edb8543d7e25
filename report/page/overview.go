package page

import (
	"slices"

	"locktorture/history"
)

// An overview is what a page has to know before it draws: a history is read
// once for it and once to draw.
type overview struct {
	end    int64 // ns
	grants int
	bands  []Band
	owners []int // of lanes, sorted
	crowd  crowd

	open      map[int]int // fault → its band
	seen      map[int]bool
	lastGrant int64
	next      int // the first band after which no lock was granted
	healed    int // bands that were healed and after which none was
}

func overviewOf(h history.Source) (*overview, error) {
	v := &overview{open: map[int]int{}, seen: map[int]bool{}, lastGrant: -1, crowd: newCrowd()}
	if err := h.Each(v.entry); err != nil {
		return nil, err
	}
	v.finishBands()
	slices.Sort(v.owners)
	return v, nil
}

func (v *overview) entry(op *history.Op) error {
	if op.F == history.End {
		return nil
	}
	v.end = op.Time
	if op.F == history.Stall {
		return nil // nobody did anything
	}
	told := op.F == history.Job && op.Client == 0 // by no replica
	if o := owner(op); op.Process != history.Nemesis && !told && !v.seen[o] {
		v.seen[o] = true
		v.owners = append(v.owners, o)
	}
	if isGrant(op) {
		v.grants++
		v.lastGrant = op.Time
		v.recovered(op.Time)
	}
	switch {
	case op.F == history.Fault || op.F == history.Heal:
		v.fault(op)
	case op.Type == history.Invoke && op.F != history.Ask, isGrant(op), op.F.Event():
		v.crowd.add(op.Time / 1000) // an item begins, more or less
	}
	return nil
}

// A crowd counts items by their start, in bins that widen as time goes on.
type crowd struct {
	width int64 // of a bin, µs
	bins  []int
	total int
}

const crowdBins = 1 << 16

func newCrowd() crowd { return crowd{width: 1, bins: make([]int, crowdBins)} }

// add counts an item that starts at t, in µs.
func (c *crowd) add(t int64) {
	for t/c.width >= crowdBins {
		for i := range crowdBins / 2 {
			c.bins[i] = c.bins[2*i] + c.bins[2*i+1]
		}
		clear(c.bins[crowdBins/2:])
		c.width *= 2
	}
	c.bins[max(0, t)/c.width]++
	c.total++
}

// in counts the items that start in some stretches, to the width of a bin.
func (c *crowd) in(windows []stretch) int {
	n := 0
	for _, w := range windows {
		for i := w.From / c.width; i <= min(w.To/c.width, crowdBins-1); i++ {
			n += c.bins[i]
		}
	}
	return n
}
