package site

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"time"

	"locktorture/guide"
	"locktorture/ledger"
	"locktorture/registry"
)

// A data is what the pages are made from.
type data struct {
	lines     []ledger.Line
	cells     []*cell
	locks     []lock
	faults    []fault
	findings  []finding
	histories []ledger.History
}

// A lock is one of the registry, of the ledger, or of both.
type lock struct {
	Name, About, Topology string
	Traits                []string
	library               string // what it is made of, with versions
	Chosen                bool   // it is one of the guide's
}

// A fault is one of the registry, or a set of them.
type fault struct {
	Name, Head, About, Size string
	Traits                  []string
}

// named matches the names that have pages: they are names of files.
var named = regexp.MustCompile(`^[a-z0-9]+([-+][a-z0-9]+)*$`)

func read(c Config) (*data, error) {
	d := &data{}
	tree, err := ledger.OpenSources(c.Root)
	if err != nil {
		return nil, err
	}
	if d.lines, err = ledger.Read(c.Ledger, time.Now()); err != nil {
		return nil, err
	}
	if d.cells, err = cells(d.lines, tree.Now(c.Locks)); err != nil {
		return nil, err
	}
	releases, err := ledger.ReadReleases(c.Ledger, time.Now())
	if err != nil {
		return nil, err
	}
	if d.histories, err = ledger.Histories(releases, tree.Program); err != nil {
		return nil, err
	}
	programs, err := Findings(c.Root)
	if err != nil {
		return nil, err
	}
	if d.findings, err = findings(programs); err != nil {
		return nil, err
	}
	d.locks, d.faults = d.allLocks(c), d.allFaults()
	return d, nil
}

// allLocks are the guide's first, and then those with the most runs.
func (d *data) allLocks(c Config) (all []lock) {
	by := map[string]lock{}
	for name, b := range c.Locks {
		l := lock{Name: name, About: b.About, Topology: b.Topology}
		if b.Driver == nil {
			l.Traits, l.library = b.TraitNames(), b.Library()
		}
		by[name] = l
	}
	runs := map[string]int{}
	for _, l := range d.lines {
		if !isRun(l.Kind) {
			continue // of a finding, for one
		}
		runs[l.Lock]++
		of := by[l.Lock]
		of.Name, of.library = l.Lock, cmp.Or(l.LockVersion, of.library)
		by[l.Lock] = of
	}
	chosen := guide.Chosen()
	for _, name := range slices.Sorted(maps.Keys(by)) {
		l := by[name]
		if l.Chosen = slices.Contains(chosen, name); named.MatchString(name) {
			all = append(all, l)
		}
	}
	place := func(l lock) int { return (slices.Index(chosen, l.Name) + len(chosen) + 1) % (len(chosen) + 1) }
	slices.SortStableFunc(all, func(a, b lock) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(runs[b.Name], runs[a.Name]))
	})
	return all
}

// none is the set of no fault.
const none = "none"

// allFaults are the guide's first, then the others, and then sets of several.
func (d *data) allFaults() (all []fault) {
	by := map[string]fault{}
	for name, n := range registry.Nemeses() {
		t := n.Traits()
		f := fault{Name: name, About: t.About}
		for _, trait := range []struct {
			has  bool
			text string
		}{
			{t.StrikesClients, "strikes clients"}, {!t.StrikesClients, "strikes servers and networks"}, {t.NeedsProcess, "needs clients in processes of their own"},
			{t.NeedsReplicas, "needs servers with replicas"}, {t.TakesLocks, "can by itself take a lock from its holder"},
		} {
			if trait.has {
				f.Traits = append(f.Traits, trait.text)
			}
		}
		by[name] = f
	}
	for _, l := range d.lines {
		if l.Kind == ledger.Run && by[l.Fault].Name == "" {
			by[l.Fault] = fault{Name: l.Fault, About: "several faults in one run"}
		}
	}
	if f, ok := by[none]; ok {
		f.Head, f.About = "no fault", "nothing is injected"
		by[none] = f
	}
	for _, c := range guide.Columns() {
		if f, ok := by[c.Nemesis]; ok {
			f.Head, f.Size = c.Head, c.Size
			all = append(all, f)
			delete(by, c.Nemesis)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(by)) {
		all = append(all, by[name])
	}
	return all
}
