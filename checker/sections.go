package checker

import (
	"cmp"
	"maps"
	"slices"

	"locktorture/checker/linear"
	"locktorture/checker/rule"
	"locktorture/history"
	"locktorture/timeline"
)

// A SectionVerdict says whether the critical sections on a store can be taken for single
// operations, one after another, each at a moment between its first call and its last answer.
// That is what a lock is for. It is judged beside the invariant: a plain store under a broken
// lock is expected to fail it.
type SectionVerdict struct {
	Model    string `json:"model"`            // the model that judged the sections
	Status   string `json:"status"`           // kept, violated, unknown
	Sections int    `json:"sections"`         // sections that were judged: the first of each key
	Reason   string `json:"reason,omitempty"` // why it is violated or unknown
}

// A Sectioned invariant can turn a whole section into a single operation.
type Sectioned interface {
	// SectionModel is the model of an object that the sections work on.
	SectionModel() string
	// About reports whether a key is such an object.
	About(key string) bool
	// Atom is a section's reads and last write of the object as one operation.
	// why, if it is not "", says why they cannot be one.
	Atom(s Section) (op linear.Operation, why string)
}

// A Section has the reads and the last write of one key under one lease.
type Section struct {
	Process int
	Client  int // ≤ 0: not known
	Reads   []string
	Write   string // the last value written, if Wrote
	Wrote   bool
}

// A section is a Section with its times.
type section struct {
	Section
	call, ret int64
	unknown   bool // its last write may have happened, or not
}

// A sectionLog holds the sections on one key.
type sectionLog struct {
	initial string
	under   int // sections that are under way
	list    []linear.Operation
	full    bool
	wrong   string
}

// sectionsJudged bounds the sections that are judged of a key. Once there are as many, the key
// takes no more after the next moment at which none is under way. All keys together take about
// four times as many.
const sectionsJudged = 50_000

// sectionsView holds the sections on one store.
type sectionsView struct {
	as      Sectioned
	open    map[int64]map[string]*section // by lease and key
	keys    map[string]*sectionLog
	clients map[int]int // by process

	total int // sections that are kept
}

func newSections(inv Invariant) *sectionsView {
	if each, ok := inv.(interface{ Each() Invariant }); ok {
		inv = each.Each()
	}
	as, ok := inv.(Sectioned)
	if !ok {
		return nil
	}
	return &sectionsView{as: as, open: map[int64]map[string]*section{}, keys: map[string]*sectionLog{}, clients: map[int]int{}}
}

// add takes the end of an operation.
func (v *sectionsView) add(a *timeline.Access) {
	key := a.Inv.Key
	if !v.as.About(key) || a.Ret != nil && a.Ret.Type == history.Fail {
		return
	}
	log := v.keys[key]
	if log == nil {
		log = &sectionLog{full: v.total >= 4*sectionsJudged}
		v.keys[key] = log
	}
	if a.Lease == nil {
		if a.Inv.F != history.Read && a.Inv.Client == 0 {
			log.initial = a.Inv.Value
		}
		return
	}
	s := v.open[a.Lease.Number][key]
	if s == nil {
		if log.full {
			return
		}
		s = &section{Section: Section{Process: a.Lease.Process, Client: a.Lease.Client}, call: a.Inv.Time}
		if v.open[a.Lease.Number] == nil {
			v.open[a.Lease.Number] = map[string]*section{}
		}
		v.open[a.Lease.Number][key] = s
		log.under++
		v.clients[s.Process] = s.Client
	}
	s.add(a)
}

func (s *section) add(a *timeline.Access) {
	known := a.Ret != nil && a.Ret.Type == history.OK
	if known {
		s.ret = a.Ret.Time
	}
	switch {
	case a.Inv.F != history.Read:
		s.Write, s.Wrote, s.unknown = a.Inv.Value, true, !known
	case known:
		s.Reads = append(s.Reads, a.Ret.Value)
	}
}

// over ends the sections of a lease.
func (v *sectionsView) over(lease int64) {
	for key, s := range v.open[lease] {
		log := v.keys[key]
		log.under--
		if op, why := v.as.Atom(s.Section); why != "" {
			log.wrong = cmp.Or(log.wrong, why)
		} else if op.F != 0 {
			op.Process, op.Call, op.Return, op.Status = s.Process, s.call, s.ret, linear.OK
			if s.unknown {
				op.Status = linear.Pending
			}
			log.list = append(log.list, op)
			v.total++
		}
		log.full = log.full || len(log.list) >= sectionsJudged && log.under == 0
	}
	delete(v.open, lease)
}

// verdict judges the sections of every key.
func (v *sectionsView) verdict(o timeline.Options) *SectionVerdict {
	for lease := range v.open {
		v.over(lease)
	}
	out := &SectionVerdict{Model: v.as.SectionModel(), Status: Kept}
	var wrong, unknown []string
	for _, key := range slices.Sorted(maps.Keys(v.keys)) {
		log := v.keys[key]
		out.Sections += len(log.list)
		if log.wrong != "" {
			wrong = append(wrong, key+": "+log.wrong)
			continue
		}
		from, err := Number(log.initial)
		for i := range log.list {
			if op := &log.list[i]; err == nil {
				op.Number -= int64(from) // the models of numbers begin with 0
			}
		}
		verdict := linear.Check(byCall(log.list), out.Model, linear.Options{Initial: log.initial, Timeout: o.Timeout, Memory: o.Memory})
		switch verdict.Outcome {
		case linear.Invalid:
			wrong = append(wrong, key+": "+rule.Explained(verdict.Explanation, v.clients))
		case linear.Unknown:
			unknown = append(unknown, key+": "+verdict.Reason)
		}
	}
	switch {
	case len(wrong) > 0:
		out.Status, out.Reason = Violated, reasons(wrong)
	case len(unknown) > 0:
		out.Status, out.Reason = NotChecked, reasons(unknown)
	case out.Sections == 0:
		return nil
	}
	return out
}

func byCall(list []linear.Operation) []linear.Operation {
	slices.SortStableFunc(list, func(a, b linear.Operation) int { return cmp.Compare(a.Call, b.Call) })
	return list
}
