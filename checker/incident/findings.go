package incident

// Witnesses is how many anomalies of a kind a result shows, each of another incident; the
// others are only counted. Candidates is how many are kept to choose them from.
const (
	Witnesses  = 10
	Candidates = 1000
)

// Findings collects the anomalies of one lock or store, or of a whole run.
type Findings struct {
	Book   *Book
	Counts map[string]int // by kind
	Kept   map[string][]Anomaly
	in     map[string][]*Chain // the chain of each anomaly that is kept
}

// NewFindings returns an empty collection for a book.
func NewFindings(b *Book) *Findings {
	return &Findings{Book: b, Counts: map[string]int{}, Kept: map[string][]Anomaly{}, in: map[string][]*Chain{}}
}

// Add counts an anomaly, puts it into its incident, and keeps it as a witness if it is one of the
// first of its kind, in all or in what is known of its incident so far. from is when the story
// begins: faults that were in place between from and the time of the anomaly are part of the
// witness.
func (f *Findings) Add(kind string, from int64, witness func() Anomaly) *Chain {
	a := witness()
	a.Kind, a.Property = kind, f.Book.propertyOf(kind)
	return f.Put(a, from, 1)
}

// Put adds n anomalies of the kind of a; a is one of them.
func (f *Findings) Put(a Anomaly, from int64, n int) *Chain {
	c := f.Book.chains.add(&a, from, n)
	f.Counts[a.Kind] += n
	if have := len(f.Kept[a.Kind]); have < Witnesses || !c.witnessed[a.Kind] && have < Candidates {
		c.witnessed[a.Kind] = true
		f.Kept[a.Kind] = append(f.Kept[a.Kind], f.complete(a, from))
		f.in[a.Kind] = append(f.in[a.Kind], c)
	} else if !c.witnessed[a.Kind] {
		c.witnessed[a.Kind] = true // no witness is kept, but the cause is
		c.blame(f.Book.blamedFault(&a, min(from, a.Time)), a.Time)
	}
	return c
}

// complete names the faults that were in place.
func (f *Findings) complete(a Anomaly, from int64) Anomaly {
	a.Faults = f.Book.Run.During(from, a.Time)
	a.Sentence += a.faultClause()
	return a
}

// Join adds what was found elsewhere, after what was found here.
func (f *Findings) Join(g *Findings) {
	for kind, n := range g.Counts {
		f.Counts[kind] += n
		f.Kept[kind] = append(f.Kept[kind], g.Kept[kind]...)
		f.in[kind] = append(f.in[kind], g.in[kind]...)
	}
}

// Shown returns the anomalies of a kind that a result shows: the first of each incident.
func (f *Findings) Shown(kind string) []Anomaly {
	var out []Anomaly
	seen := map[*Chain]bool{}
	for i, a := range f.Kept[kind] {
		c := f.in[kind][i].Root()
		if seen[c] || len(out) == Witnesses {
			continue
		}
		seen[c] = true
		a.Incident = c.number
		out = append(out, a)
	}
	return out
}

// firsts returns the first anomaly of each chain, as far as it was kept. An anomaly of the
// whole history of a lock counts only if its chain has nothing else. It is chance which of
// several proofs was found, so its time says nothing.
func (f *Findings) firsts() map[*Chain]*Anomaly {
	out := map[*Chain]*Anomaly{}
	for _, k := range f.Book.kinds {
		for i := range f.Kept[k.Name] {
			a, c := &f.Kept[k.Name][i], f.in[k.Name][i].Root()
			if b := out[c]; b == nil || b.ofWholeLock() || a.Time < b.Time && !a.ofWholeLock() {
				out[c] = a
			}
		}
	}
	return out
}

// Has reports whether an anomaly of the property was found.
func (f *Findings) Has(property string) bool { return f.Total(property) > 0 }

// Total counts the anomalies of a property.
func (f *Findings) Total(property string) int {
	n := 0
	for kind, count := range f.Counts {
		if f.Book.propertyOf(kind) == property {
			n += count
		}
	}
	return n
}
