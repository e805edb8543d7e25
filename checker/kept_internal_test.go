package checker

import (
	"testing"

	"locktorture/checker/linear"
	"locktorture/history"
	"locktorture/timeline"
)

// atoms takes every section of the key k for one write.
type atoms struct{}

func (atoms) SectionModel() string { return "register" }

func (atoms) About(key string) bool { return key == "k" }

func (atoms) Atom(s Section) (linear.Operation, string) { return linear.Operation{F: linear.Write}, "" }

func sectionsOf() *sectionsView {
	return &sectionsView{as: atoms{}, open: map[int64]map[string]*section{}, keys: map[string]*sectionLog{}, clients: map[int]int{}}
}

func wrote(key string, client int, answer history.Type, g *timeline.Lease) *timeline.Access {
	return &timeline.Access{Inv: &history.Op{F: history.Write, Key: key, Client: client, Value: "v"}, Ret: &history.Op{Type: answer}, Lease: g}
}

// TestSectionsAdd: which operations belong to sections, and which one makes the initial state.
func TestSectionsAdd(t *testing.T) {
	keys := func(a *timeline.Access) int { v := sectionsOf(); v.add(a); return len(v.keys) }
	initial := func(f history.F, client int) string {
		v, a := sectionsOf(), wrote("k", client, history.OK, nil)
		a.Inv.F = f
		v.add(a)
		return v.keys["k"].initial
	}
	check(t, []border{
		{"of the key", keys(wrote("k", 1, history.OK, leased(7))), 1}, {"of another", keys(wrote("x", 1, history.OK, leased(7))), 0},
		{"one that failed", keys(wrote("k", 1, history.Fail, leased(7))), 0},
		{"the initial state", initial(history.Write, 0), "v"}, {"read", initial(history.Read, 0), ""}, {"written by a client", initial(history.Write, 1), ""},
	})
}

// TestSectionsKept: sections are kept up to a number, and to the next moment at which none is
// under way.
func TestSectionsKept(t *testing.T) {
	kept := func(before, others int) *sectionsView {
		v := sectionsOf()
		v.add(wrote("k", 1, history.OK, leased(7)))
		v.keys["k"].list, v.keys["k"].under = make([]linear.Operation, before), v.keys["k"].under+others
		v.over(7)
		return v
	}
	under := sectionsOf()
	under.add(wrote("k", 1, history.OK, leased(7)))
	last, all := sectionsOf(), kept(0, 0)
	last.total = 4 * sectionsJudged
	last.add(wrote("k", 1, history.OK, nil))
	check(t, []border{
		{"under way", under.keys["k"].under, 1}, {"over", all.keys["k"].under, 0}, {"kept", all.total, 1}, {"room for more", all.keys["k"].full, false},
		{"the last one", kept(sectionsJudged-1, 0).keys["k"].full, true}, {"another is under way", kept(sectionsJudged-1, 1).keys["k"].full, false},
		{"no room for another key", last.keys["k"].full, true},
	})
}

// TestUnderWayOnStore: an operation that has returned is not under way any more, and the
// others are.
func TestUnderWayOnStore(t *testing.T) {
	v := emptyView(t, timeline.Options{})
	a, b := &timeline.Flight{Op: &history.Op{F: history.Write, Key: "k"}}, &timeline.Flight{Op: &history.Op{F: history.Write, Key: "k"}}
	v.stores.under = []*timeline.Flight{a, b}
	v.stores.Add(&timeline.Access{Inv: a.Op, Ret: &history.Op{Type: history.Info}}, 0, 1)
	check(t, []border{{"how many", len(v.stores.under), 1}, {"which", v.stores.under[0], b}})
}

// TestRefusedRegister: what a plain store refuses it refuses for what the key holds, a fenced
// one perhaps for the token.
func TestRefusedRegister(t *testing.T) {
	judged := func(f history.F, refused, store string) bool {
		_, ok := registerOperation(&timeline.Access{Inv: &history.Op{F: f, Key: "k", Guard: "k", Store: store}, Ret: &history.Op{Type: history.Fail, Refused: refused}})
		return ok
	}
	check(t, []border{
		{"for what the key holds", judged(history.CAS, history.ByStore, history.Plain), true}, {"a write", judged(history.Write, history.ByStore, history.Plain), false},
		{"never sent", judged(history.CAS, history.ByClient, history.Plain), false}, {"a fence", judged(history.CAS, history.ByStore, history.Fenced), false},
	})
}
