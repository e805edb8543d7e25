package checker

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"locktorture/checker/linear"
	"locktorture/history"
)

// A SectionVerdict says whether the critical sections on a store can be taken
// for single operations, one after another, each at a moment between its first
// call and its last answer. It is what a lock is for, and it is judged beside the
// invariant: a plain store under a broken lock is expected to fail it.
type SectionVerdict struct {
	Model    string `json:"model"`            // what a section is taken for
	Status   string `json:"status"`           // kept, violated, unknown
	Sections int    `json:"sections"`         // that were judged: the first of each key
	Reason   string `json:"reason,omitempty"` // of violated and unknown
}

// An atomic invariant knows what a whole section comes to.
type atomic interface {
	// sectionModel is the model of an object that the sections work on.
	sectionModel() string
	// about reports whether a key is such an object.
	about(key string) bool
	// atom is a section's reads and last write of the object as one operation.
	// why, if it is not "", says why they cannot be one.
	atom(s *section) (op linear.Operation, why string)
}

// A section is what was done under one lease on one key.
type section struct {
	process   int
	call, ret int64
	reads     []string
	write     string
	wrote     bool
	unknown   bool // its last write may have happened, or not
}

// A sectionLog is the sections on one key.
type sectionLog struct {
	initial string
	under   int // way
	list    []linear.Operation
	full    bool
	wrong   string
}

// sectionsJudged bounds the sections of a key: they are judged up to the next
// moment at which none is under way; four times as many of all keys.
const sectionsJudged = 50_000

// sectionsView is the sections on one store.
type sectionsView struct {
	as   atomic
	open map[int64]map[string]*section // by lease and key
	keys map[string]*sectionLog

	total int // sections that are kept
}

func newSections(inv Invariant) *sectionsView {
	if p, ok := inv.(PerKey); ok {
		inv = p.Invariant
	}
	as, ok := inv.(atomic)
	if !ok {
		return nil
	}
	return &sectionsView{as: as, open: map[int64]map[string]*section{}, keys: map[string]*sectionLog{}}
}

// add takes the end of an operation.
func (v *sectionsView) add(a *access) {
	key := a.inv.Key
	if !v.as.about(key) || a.ret != nil && a.ret.Type == history.Fail {
		return
	}
	log := v.keys[key]
	if log == nil {
		log = &sectionLog{full: v.total >= 4*sectionsJudged}
		v.keys[key] = log
	}
	if a.lease == nil {
		if a.inv.F != history.Read && a.inv.Client == 0 {
			log.initial = a.inv.Value
		}
		return
	}
	s := v.open[a.lease.n][key]
	if s == nil {
		if log.full {
			return
		}
		s = &section{process: a.lease.process, call: a.inv.Time}
		if v.open[a.lease.n] == nil {
			v.open[a.lease.n] = map[string]*section{}
		}
		v.open[a.lease.n][key] = s
		log.under++
	}
	s.add(a)
}

func (s *section) add(a *access) {
	known := a.ret != nil && a.ret.Type == history.OK
	if known {
		s.ret = a.ret.Time
	}
	switch {
	case a.inv.F != history.Read:
		s.write, s.wrote, s.unknown = a.inv.Value, true, !known
	case known:
		s.reads = append(s.reads, a.ret.Value)
	}
}

// over ends the sections of a lease.
func (v *sectionsView) over(lease int64) {
	for key, s := range v.open[lease] {
		log := v.keys[key]
		log.under--
		if op, why := v.as.atom(s); why != "" {
			log.wrong = cmp.Or(log.wrong, why)
		} else if op.F != 0 {
			op.Process, op.Call, op.Return, op.Status = s.process, s.call, s.ret, linear.OK
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
func (v *sectionsView) verdict(o Options) *SectionVerdict {
	for lease := range v.open {
		v.over(lease)
	}
	out := &SectionVerdict{Model: v.as.sectionModel(), Status: Kept}
	var wrong, unknown []string
	for _, key := range sortedKeys(v.keys) {
		log := v.keys[key]
		out.Sections += len(log.list)
		if log.wrong != "" {
			wrong = append(wrong, key+": "+log.wrong)
			continue
		}
		from, err := number(log.initial)
		for i := range log.list {
			if op := &log.list[i]; err == nil {
				op.Number -= int64(from) // the models of numbers begin with 0
			}
		}
		verdict := linear.Check(byCall(log.list), out.Model, linear.Options{Initial: log.initial, Timeout: o.Timeout, Memory: o.Memory})
		switch verdict.Outcome {
		case linear.Invalid:
			wrong = append(wrong, key+": "+inSeconds(verdict.Explanation))
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

// A counting section is a fetch-and-add: it reads a number and writes one more.
func (CounterInvariant) sectionModel() string { return "faa" }

func (CounterInvariant) about(key string) bool { return strings.HasSuffix(key, "/counter") }

func (CounterInvariant) atom(s *section) (op linear.Operation, why string) {
	if len(s.reads) == 0 {
		return op, ""
	}
	from, err := number(s.reads[0])
	if err != nil {
		return op, fmt.Sprintf("%q is no number", s.reads[0])
	}
	op.F, op.Number = linear.Read, int64(from)
	if s.wrote {
		to, err := number(s.write)
		if err != nil {
			return op, fmt.Sprintf("%q is no number", s.write)
		}
		op.F, op.Delta = linear.FetchAdd, int64(to-from)
	}
	return op, ""
}

// A section of a register reads one value, or writes one and reads it back.
func (RegisterInvariant) sectionModel() string { return "register" }

func (RegisterInvariant) about(key string) bool { return strings.HasSuffix(key, "/register") }

func (RegisterInvariant) atom(s *section) (op linear.Operation, why string) {
	sees := s.write
	if !s.wrote && len(s.reads) > 0 {
		sees = s.reads[0]
	}
	for _, r := range s.reads {
		if r != sees {
			return op, fmt.Sprintf("process %d saw %q and %q in one section", s.process, sees, r)
		}
	}
	switch {
	case s.wrote:
		op.F, op.Value = linear.Write, s.write
	case len(s.reads) > 0:
		op.F, op.Value = linear.Read, sees
	}
	return op, ""
}

// A step of an order is a transition from the state that the section saw.
func (StateMachineInvariant) sectionModel() string { return "statemachine" }

func (StateMachineInvariant) about(key string) bool { return strings.Contains(key, "/order/") }

func (StateMachineInvariant) atom(s *section) (op linear.Operation, why string) {
	switch {
	case s.wrote && len(s.reads) > 0:
		op.F, op.Expect, op.Value = linear.CAS, s.reads[0], s.write
	case s.wrote: // a new order
		op.F, op.Value = linear.Write, s.write
	case len(s.reads) > 0:
		op.F, op.Value = linear.Read, s.reads[0]
	}
	return op, ""
}
