package linear

import (
	"cmp"
	"fmt"
	"slices"
)

// The places that a term has in a chain of links, counted from its rank times placesOfTerm.
const (
	placeElected = iota // even: one operation
	placeSeen           // odd: any number, in any order
	placeResign
	placesOfTerm = 4
)

// A term is a term for which somebody was elected, or that an observer saw.
type term struct {
	term   uint64
	leader string // the value
	op     int32  // the campaign; -1: not known yet, so one of unknown outcome
	from   int32  // the operation that saw it first, if no campaign is known
}

// A termReader puts the operations of an election in order.
type termReader struct {
	t      *trace
	terms  []term             // sorted
	rank   map[uint64]int32   // of each term
	open   map[string][]int32 // campaigns of unknown outcome by value, by call
	links  []link
	over   []link  // answers that a term is over; place is the rank of the term
	nobody []int32 // saw no leader
}

func (r *termReader) fail(explanation string, witness ...int) *Verdict {
	v := invalid(byTerms, explanation, witness...)
	return &v
}

// elect collects the campaigns.
func (r *termReader) elect() *Verdict {
	r.open = map[string][]int32{}
	for _, i := range r.t.byCall() {
		o := &r.t.ops[i]
		switch {
		case o.F != Campaign || o.Status == Refused:
		case o.Status == Pending:
			r.open[o.Value] = append(r.open[o.Value], i)
		case o.Token == 0:
			return r.fail("a leader without a term: "+o.String(), int(i))
		default:
			if k, twice := r.rank[o.Token]; twice {
				return r.fail(fmt.Sprintf("term %d has two leaders", o.Token), int(r.terms[k].op), int(i))
			}
			r.rank[o.Token] = int32(len(r.terms))
			r.terms = append(r.terms, term{o.Token, o.Value, i, i})
		}
	}
	return nil
}

// observe adds the terms that observers saw, but that no campaign was answered with.
func (r *termReader) observe() *Verdict {
	for _, i := range r.t.order {
		o := &r.t.ops[i]
		if o.F != Observe || o.Status != OK || o.Token == 0 {
			continue
		}
		k, known := r.rank[o.Token]
		if !known {
			r.rank[o.Token] = int32(len(r.terms))
			r.terms = append(r.terms, term{o.Token, o.Value, -1, i})
		} else if seen := &r.terms[k]; seen.leader != o.Value {
			return r.fail(fmt.Sprintf("%v, but the leader of this term is %s", *o, quote(seen.leader)), int(seen.from), int(i))
		}
	}
	slices.SortFunc(r.terms, func(a, b term) int { return cmp.Compare(a.term, b.term) })
	for k := range r.terms {
		r.rank[r.terms[k].term] = int32(k)
	}
	return nil
}

// claim finds a campaign of unknown outcome for each term that was only seen. Of the leader's
// campaigns, it takes the one that was called first.
func (r *termReader) claim() *Verdict {
	for k := range r.terms {
		e := &r.terms[k]
		if e.op < 0 {
			open := r.open[e.leader]
			if len(open) == 0 {
				return r.fail(fmt.Sprintf("%v, but nobody can have campaigned for this term", r.t.ops[e.from]), int(e.from))
			}
			e.op, r.open[e.leader] = open[0], open[1:]
		}
		r.links = append(r.links, r.t.linkOf(e.op, int64(k)*placesOfTerm+placeElected))
	}
	return nil
}

// follow reads what each process was told after it was elected, and what
// observers saw.
func (r *termReader) follow() *Verdict {
	leads := make([]int32, r.t.procs) // 1 + the rank of its latest term; 0: it knows of none
	vague := make([]bool, r.t.procs)  // it did not learn whether it was elected
	leaders := r.leaders()
	for _, i := range r.t.order {
		o, p := &r.t.ops[i], r.t.proc[i]
		var v *Verdict
		switch {
		case electionSpec.drop(&r.t.opt, o):
		case o.F == Observe:
			v = r.seen(i, o, leaders)
		case vague[p]:
			u := unknown(byTerms, "a candidate continues after an operation of unknown outcome")
			v = &u
		case o.F == Campaign && o.Status == Pending:
			vague[p] = true
		case o.F == Campaign:
			leads[p] = r.rank[o.Token] + 1
		default:
			v = r.told(i, o, &leads[p])
		}
		if v != nil {
			return v
		}
	}
	return nil
}

// leaders returns the rank of the only term that a value may have led in; -1
// where there are several, or where the term is not known.
func (r *termReader) leaders() map[string]int32 {
	of := map[string]int32{}
	for k := range r.terms {
		name := r.terms[k].leader
		if _, twice := of[name]; twice || len(r.open[name]) > 0 {
			of[name] = -1
		} else {
			of[name] = int32(k)
		}
	}
	for name, left := range r.open {
		if len(left) > 0 {
			of[name] = -1
		}
	}
	return of
}

func (r *termReader) seen(i int32, o *Operation, leaders map[string]int32) *Verdict {
	if o.Status == Refused {
		r.nobody = append(r.nobody, i)
		return nil
	}
	k := r.rank[o.Token]
	if o.Token == 0 {
		var known bool
		if k, known = leaders[o.Value]; !known {
			return r.fail(fmt.Sprintf("%v, but nobody campaigned as this leader", *o), int(i))
		}
		if k < 0 {
			v := unknown(byTerms, "a leader had several terms, and it is not known in which of them this answer saw the leader: "+o.String())
			return &v
		}
	}
	r.links = append(r.links, r.t.linkOf(i, int64(k)*placesOfTerm+placeSeen))
	return nil
}

// told takes what a process is told about its leadership: that it leads, that it has resigned,
// or that its leadership is over.
func (r *termReader) told(i int32, o *Operation, leads *int32) *Verdict {
	k := *leads - 1
	own := k >= 0 && (o.Token == 0 || o.Token == r.terms[k].term)
	if o.Status == Refused || o.F == End {
		if own {
			r.over = append(r.over, r.t.linkOf(i, int64(k)))
			*leads = 0
		}
		return nil
	}
	if !own {
		return r.fail("an answer says that a process leads or led, but the term was over or belonged to another process: "+o.String(), int(i))
	}
	place := int64(placeSeen)
	if o.F == Resign {
		place, *leads = placeResign, 0
	}
	r.links = append(r.links, r.t.linkOf(i, int64(k)*placesOfTerm+place))
	return nil
}
