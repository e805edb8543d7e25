package incident

import (
	"math"
	"slices"

	"locktorture/history"
	"locktorture/timeline"
)

// A Chain holds anomalies that belong together, while they are being found.
type Chain struct {
	into       *Chain // the chain that it has become part of; nil: none
	number     int    // of its incident, once the incidents are counted
	lock       string
	from       int64 // when the story of its first anomaly begins
	opens      int64 // when the first story begins
	start, end int64 // times of its first and its last anomaly
	counts     map[string]int
	lost       map[string]IncidentLoss // by store
	witnessed  map[string]bool         // kinds that have a kept witness
	deed       int64                   // of an effect: the lease under which the store was worked on
	touched    map[int64]bool          // of an effect: the other leases of its witnesses
	cause      *timeline.Fault         // the fault to which the first anomaly that was not kept is attributed
	causeAt    int64
	wait       bool // it is of liveness, so it lasts from when its first story begins
}

// A Kind is a kind of anomaly and the property that it violates.
type Kind struct{ Name, Property string }

// A Book holds the anomalies of a run, each in its chain.
type Book struct {
	Run    *timeline.Run
	kinds  []Kind // all kinds, in the order of a result
	chains chains
}

// NewBook begins the book of a run in which anomalies of these kinds can be found.
func NewBook(run *timeline.Run, kinds []Kind) *Book { return &Book{Run: run, kinds: kinds} }

// propertyOf returns the property that a kind of anomaly violates: Workload for a kind that only
// an invariant knows.
func (b *Book) propertyOf(kind string) string {
	for _, k := range b.kinds {
		if k.Name == kind {
			return k.Property
		}
	}
	return Workload
}

// chains holds all chains of a run so far. The zero value is empty.
type chains struct {
	byLease map[int64]*Chain
	effects map[int64]*Chain // by lease
	spans   map[about][]*Chain
	wholes  map[string]*Chain // by lock
	all     []*Chain
}

// An about says what anomalies without a lease are about.
type about struct{ lock, property string }

func (s *chains) begin() *Chain {
	c := &Chain{start: math.MaxInt64, end: math.MinInt64, opens: math.MaxInt64, counts: map[string]int{}, witnessed: map[string]bool{}}
	s.all = append(s.all, c)
	return c
}

// Root returns the chain that this one was joined to.
func (c *Chain) Root() *Chain {
	for c.into != nil {
		c = c.into
	}
	return c
}

// stretch makes the chain last as long as another does.
func (c *Chain) stretch(d *Chain) {
	if d.start < c.start || d.start == c.start && d.from < c.from {
		c.lock, c.start, c.from = d.lock, d.start, d.from
	}
	c.end, c.opens = max(c.end, d.end), min(c.opens, d.opens)
}

// absorb makes another chain a part of this one.
func (c *Chain) absorb(d *Chain) {
	if c == d {
		return
	}
	d.into = c
	c.stretch(d)
	c.blame(d.cause, d.causeAt)
	for kind, n := range d.counts {
		c.counts[kind] += n
		c.witnessed[kind] = c.witnessed[kind] || d.witnessed[kind]
	}
	for store, l := range d.lost {
		c.Cost(store, l.Unit, l.Lost)
	}
}

// blame attributes a chain to a fault, unless an earlier anomaly has one.
func (c *Chain) blame(cause *timeline.Fault, at int64) {
	if cause != nil && (c.cause == nil || at < c.causeAt) {
		c.cause, c.causeAt = cause, at
	}
}

// Cost adds what was lost in a store.
func (c *Chain) Cost(store, unit string, lost int) {
	if c.lost == nil {
		c.lost = map[string]IncidentLoss{}
	}
	c.lost[store] = IncidentLoss{Store: store, Unit: unit, Lost: c.lost[store].Lost + lost}
}

// add puts n anomalies of a kind into their chain; a is one of them, and from is when the
// story of a begins.
func (s *chains) add(a *Anomaly, from int64, n int) *Chain {
	c := s.chainOf(a, min(from, a.Time))
	c.stretch(&Chain{lock: a.Lock, start: a.Time, end: a.Time, from: from, opens: min(from, a.Time)})
	c.counts[a.Kind] += n
	return c
}

// chainOf returns the chain of an anomaly, by what the anomaly is about.
func (s *chains) chainOf(a *Anomaly, from int64) *Chain {
	leases := leasesOf(a.Ops)
	store := a.Property == Workload || a.Property == Linearizability && a.Store != ""
	switch {
	case a.ofWholeLock():
		return s.wholeOf(a.Lock)
	case store && len(leases) > 0:
		return s.effectOf(leases)
	case a.Property != Liveness && a.Property != Linearizability && len(leases) > 0:
		return s.linked(leases)
	}
	return s.spanOf(about{a.Lock, a.Property}, from, a.Time)
}

// leasesOf returns the leases of a witness, beginning with the lease of its last entry.
func leasesOf(ops []history.Op) []int64 {
	var out []int64
	for _, op := range slices.Backward(ops) {
		if op.Lease != 0 && !slices.Contains(out, op.Lease) {
			out = append(out, op.Lease)
		}
	}
	return out
}

// linked returns the one chain of leases that are named together. It joins the chains that
// they had before.
func (s *chains) linked(leases []int64) *Chain {
	if s.byLease == nil {
		s.byLease = map[int64]*Chain{}
	}
	var c *Chain
	for _, n := range leases {
		d := s.byLease[n]
		switch {
		case d == nil:
		case c == nil:
			c = d.Root()
		default:
			c.absorb(d.Root())
		}
	}
	if c == nil {
		c = s.begin()
	}
	for _, n := range leases {
		s.byLease[n] = c
	}
	return c
}

// effectOf returns the chain of the anomalies of a store that was worked on under some leases.
// The first of these leases wrote what is wrong.
func (s *chains) effectOf(leases []int64) *Chain {
	if s.effects == nil {
		s.effects = map[int64]*Chain{}
	}
	c := s.effects[leases[0]]
	if c == nil {
		c = s.begin()
		c.deed, c.touched = leases[0], map[int64]bool{}
		s.effects[c.deed] = c
	}
	for _, n := range leases[1:] {
		c.touched[n] = true
	}
	return c
}

func (s *chains) wholeOf(lock string) *Chain {
	if s.wholes == nil {
		s.wholes = map[string]*Chain{}
	}
	if s.wholes[lock] == nil {
		s.wholes[lock] = s.begin()
	}
	return s.wholes[lock]
}

// spanOf returns the chain of the anomalies that overlap in time.
func (s *chains) spanOf(key about, from, to int64) *Chain {
	if s.spans == nil {
		s.spans = map[about][]*Chain{}
	}
	var c *Chain
	for _, d := range s.spans[key] {
		switch {
		case d.into != nil || d.end < from || d.opens > to:
		case c == nil:
			c = d
			from, to = min(from, d.opens), max(to, d.end)
		default:
			c.absorb(d)
		}
	}
	if c == nil {
		c = s.begin()
		c.wait = key.property == Liveness
		s.spans[key] = append(s.spans[key], c)
	}
	return c
}
