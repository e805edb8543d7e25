package page

import (
	"fmt"
	"slices"

	"locktorture/history"
	"locktorture/report/words"
	"locktorture/timeline"
)

// The kinds of an item of the timeline. The page's script knows them by
// number.
const (
	itemWait      = iota // an acquire or try, from call to answer
	itemHold             // a lease, from its grant to the end of its validity
	itemBeyond           // the same lease after its validity, until its release
	itemRead             // of the store
	itemWrite            // to the store
	itemRenew            // a renewal
	itemRelease          // a release, from call to answer
	itemLost             // the holder was told of its loss
	itemCrash            // the client was killed
	itemProbe            // the harness looked at a server
	itemOpen             // a lease of which no end was told, up to the next grant of its lock
	itemOvertaken        // the same lease after that grant, until its release
	itemRun              // a run of a job of a program
	itemEffect           // an effect of one
)

// Flags of an item.
const (
	flagFail    = 1  // certainly did not happen
	flagUnknown = 2  // outcome unknown
	flagFenced  = 4  // on the fenced store
	flagStale   = 8  // refused by the fenced store
	depthShift  = 4  // two bits: how many leases the client held already
	maxDepth    = 3  // of them
	outcomeBits = 15 // all but the depth
)

// An item is one thing on a lane of the timeline. Times are microseconds
// since the start of the run: finer than a screen can show.
type item struct {
	lane, kind, flags int
	start, dur        int64
	lock, text        int // indices
	lease             int64
}

// A picture is everything that the page draws, before it is encoded.
type picture struct {
	end   int64 // µs
	lanes []string
	locks *table
	texts *table
	items []item
}

// holding is a lease that has not ended yet.
type holding struct {
	depth     int
	overtaken int64 // ns; when another was granted what the lease excludes, 0 if never
}

// A builder turns entries into items. Those outside of the windows are
// summed up at once.
type builder struct {
	picture
	laneOf  map[int]int // by client; processes without one count from -1 down
	held    map[*timeline.Lease]*holding
	runs    map[int64]*jobRun
	last    int64 // ns
	windows []stretch
	sum     *sum // nil: every item is kept
	total   int
}

func newBuilder(v *overview) *builder {
	b := &builder{laneOf: map[int]int{}, held: map[*timeline.Lease]*holding{}, runs: map[int64]*jobRun{}, last: v.end}
	b.locks, b.texts = newTable(1<<20), newTable(5<<19)
	b.assignLanes(v.owners)
	b.end = b.last/1000 + 1
	return b
}

// finishAll ends what the history leaves open.
func (b *builder) finishAll(open []*timeline.Flight) {
	for lease := range b.held {
		b.finish(lease, b.last)
	}
	b.endRunsOf(0, true)
	for _, f := range open {
		inv := f.Op
		b.completed(timeline.Entry{Inv: inv, Op: &history.Op{Time: b.last, Type: history.Info, Process: inv.Process, Client: inv.Client, F: inv.F, Lock: inv.Lock, Error: "still unanswered when the history ended"}})
	}
	slices.SortFunc(b.items, compareItems)
}

// put keeps an item, or sums it up. text is asked for only if it is kept.
func (b *builder) put(it item, text func() string) {
	b.total++
	if b.sum != nil && !inside(it, b.windows) {
		b.sum.add(it)
		return
	}
	if text != nil {
		it.text = b.texts.index(text())
	}
	b.items = append(b.items, it)
}

// compareItems returns a total order: maps are walked above, and a page must not depend on
// their order.
func compareItems(a, b item) int {
	for _, d := range []int64{int64(a.lane - b.lane), a.start - b.start, int64(a.kind - b.kind), a.lease - b.lease, int64(a.lock - b.lock)} {
		if d != 0 {
			return int(max(-1, min(1, d)))
		}
	}
	return 0
}

// owner returns what a lane stands for: a client, or a process without one.
func owner(op *history.Op) int {
	switch {
	case op.Client > 0:
		return op.Client
	case op.Process == history.Harness:
		return 1 << 30 // last
	}
	return 1<<20 + op.Process
}

func (b *builder) assignLanes(owners []int) {
	for i, o := range owners {
		b.laneOf[o] = i
		switch {
		case o == 1<<30:
			b.lanes = append(b.lanes, "probes")
		case o >= 1<<20:
			b.lanes = append(b.lanes, fmt.Sprintf("process %d", o-1<<20))
		default:
			b.lanes = append(b.lanes, fmt.Sprintf("c%d", o))
		}
	}
}

func (b *builder) entry(e timeline.Entry) {
	switch {
	case e.F == history.Lost:
		b.point(e.Op, itemLost, nil)
	case e.F == history.Crash:
		for _, g := range e.Ended {
			b.finish(g, e.Time)
		}
		b.endRunsOf(e.Process, false)
		b.point(e.Op, itemCrash, func() string { return words.Sentence(e.Value) })
	case e.F == history.Job:
		b.job(e.Op)
	case e.F == history.Probe:
		b.point(e.Op, itemProbe, func() string {
			return fmt.Sprintf("%s: owner %s", words.Word(e.Node), words.List(e.Owners(), ", ", ""))
		})
	case e.F == history.Release && e.Type == history.Invoke:
		b.finish(e.Lease, e.Time)
	case e.Inv != nil:
		b.completed(e)
	}
}

func (b *builder) point(op *history.Op, kind int, text func() string) {
	b.put(item{lane: b.laneOf[owner(op)], kind: kind, start: op.Time / 1000,
		lock: b.locks.index(words.Word(op.Lock)), lease: op.Lease}, text)
}
