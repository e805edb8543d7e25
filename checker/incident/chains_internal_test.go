package incident

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktorture/history"
)

// told is an anomaly of the lock L with entries of these leases, in their order.
func told(kind string, at int64, leases ...int64) Anomaly {
	a := Anomaly{Kind: kind, Property: NewBook(nil, someKinds()).propertyOf(kind), Lock: "L", Time: at}
	for _, n := range leases {
		a.Ops = append(a.Ops, history.Op{Lease: n})
	}
	if a.Property == Workload {
		a.Store = history.Plain
	}
	return a
}

func (a Anomaly) of(lock string) Anomaly {
	a.Lock = lock
	return a
}

func (a Anomaly) in(store string) Anomaly {
	a.Store = store
	return a
}

// A story is an anomaly and when its story begins.
type story struct {
	Anomaly
	from int64
}

// now is one that begins when it is complete.
func now(a Anomaly) story { return story{a, a.Time} }

// incidentsOf tells of the incidents of a history that lasts from 0 to 99: "10–20 L
// double-grant×2".
func incidentsOf(list []story) string {
	var s chains
	for i := range list {
		s.add(&list[i].Anomaly, list[i].from, 1)
	}
	s.resolve(0, 99)
	var out []string
	for _, c := range s.roots() {
		line := fmt.Sprintf("%d–%d %s", c.began(), c.end, c.lock)
		for _, kind := range slices.Sorted(maps.Keys(c.counts)) {
			line += fmt.Sprintf(" %s×%d", kind, c.counts[kind])
		}
		out = append(out, line)
	}
	return strings.Join(out, "; ")
}

// TestIncidentsByLease: what names a lease in common is one incident.
func TestIncidentsByLease(t *testing.T) {
	first, second := now(told("double-grant", 10, 1, 2)), now(told("double-grant", 20, 3, 4))
	for _, c := range []struct {
		name string
		list []story
		want string
	}{
		{"none", nil, ""},
		{"two chains that touch", []story{first, now(told("double-grant", 20, 2, 3))}, "10–20 L double-grant×2"},
		{"two that do not", []story{first, second}, "10–10 L double-grant×1; 20–20 L double-grant×1"},
		{"a third that touches both, found last", []story{first, second, now(told("double-grant", 15, 2, 3))}, "10–20 L double-grant×3"},
		{"the holder of the overtaken lease goes on", []story{first, now(told("overrun", 30, 1))}, "10–30 L double-grant×1 overrun×1"},
		{"another holder", []story{first, now(told("overrun", 30, 5))}, "10–10 L double-grant×1; 30–30 L overrun×1"},
		{"a token that an overlapping grant took back", []story{first, now(told("token-regression", 30, 2, 6))}, "10–30 L double-grant×1 token-regression×1"},
		{"one that is found later came first", []story{now(told("overrun", 30, 1)), first}, "10–30 L double-grant×1 overrun×1"},
		{"two locks that one section holds", []story{first, now(told("overrun", 30, 1, 9).of("M"))}, "10–30 L double-grant×1 overrun×1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(c.want, incidentsOf(c.list)); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestIncidentsInStores: what was found of a store follows from what its writers did with the
// lock.
func TestIncidentsInStores(t *testing.T) {
	first := now(told("double-grant", 10, 1, 2))
	last := now(told("overrun", 40, 1))
	for _, c := range []struct {
		name string
		list []story
		want string
	}{
		{"done under a lease of the chain", []story{first, now(told("oversold", 50, 9, 2))}, "10–50 L double-grant×1 oversold×1"},
		{"found before the chain was", []story{now(told("oversold", 9, 2)), first}, "9–10 L double-grant×1 oversold×1"},
		{"done over what a lease of the chain did", []story{first, now(told("lost-update", 50, 2, 7))}, "10–50 L double-grant×1 lost-update×1"},
		{"and over that again", []story{first, now(told("lost-update", 50, 2, 7)), now(told("lost-update", 60, 7, 8))}, "10–60 L double-grant×1 lost-update×2"},
		{"of no lease of it, at the time", []story{first, last, now(told("oversold", 40, 8))}, "10–40 L double-grant×1 overrun×1 oversold×1"},
		{"of no lease of it, as the chain begins", []story{first, last, now(told("oversold", 10, 8))}, "10–40 L double-grant×1 overrun×1 oversold×1"},
		{"of no lease of it, before", []story{first, last, now(told("oversold", 9, 8))}, "9–9 L oversold×1; 10–40 L double-grant×1 overrun×1"},
		{"of no lease of it, later", []story{first, last, now(told("oversold", 41, 8))}, "10–40 L double-grant×1 overrun×1; 41–41 L oversold×1"},
		{"of no lease of it, of another lock", []story{first, last, now(told("oversold", 40, 8).of("M"))}, "10–40 L double-grant×1 overrun×1; 40–40 M oversold×1"},
		{"without a lease", []story{first, now(told("oversold", 50))}, "10–10 L double-grant×1; 50–50 L oversold×1"},
		{"of the later of two chains", []story{first, now(told("double-grant", 20, 3, 4)), now(told("lost-update", 50, 1, 4, 9))},
			"10–10 L double-grant×1; 20–50 L double-grant×1 lost-update×1"},
		{"two of no chain that name a lease in common", []story{now(told("lost-update", 50, 5, 6)), now(told("lost-update", 60, 6, 7))}, "50–60 L lost-update×2"},
		{"two of no chain that were done over the same", []story{now(told("lost-update", 50, 5, 6)), now(told("lost-update", 60, 5, 7))}, "50–60 L lost-update×2"},
		{"one beside two of no chain", []story{now(told("lost-update", 50, 5, 6)), now(told("lost-update", 60, 5, 6)), now(told("lost-update", 55, 7, 8))},
			"50–60 L lost-update×2; 55–55 L lost-update×1"},
		{"over what another chain did: the next follows from that one", []story{first, now(told("double-grant", 20, 3, 4)), now(told("lost-update", 50, 4, 1)), now(told("lost-update", 60, 4, 9))},
			"10–50 L double-grant×1 lost-update×1; 20–60 L double-grant×1 lost-update×1"},
		{"while the lock was dead", []story{{told("deadlock", 60, 1), 40}, now(told("oversold", 50, 8))}, "40–60 L deadlock×1; 50–50 L oversold×1"},
		{"two of no chain that do not", []story{now(told("lost-update", 50, 5, 6)), now(told("lost-update", 60, 7, 8))}, "50–50 L lost-update×1; 60–60 L lost-update×1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(c.want, incidentsOf(c.list)); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestIncidentsOfLiveness: what was waited for at one time is one incident, whichever leases
// are named.
func TestIncidentsOfLiveness(t *testing.T) {
	first := story{told("deadlock", 30, 1), 20}
	linear := func(lock string) story { return story{told("nonlinearizable", 80, 7).of(lock), 70} }
	for _, c := range []struct {
		name string
		list []story
		want string
	}{
		{"at one time", []story{first, {told("starved", 40), 25}}, "20–40 L deadlock×1 starved×1"},
		{"from the moment at which the other was complete", []story{first, {told("starved", 40), 30}}, "20–40 L deadlock×1 starved×1"},
		{"a little later", []story{first, {told("starved", 40), 31}}, "20–30 L deadlock×1; 31–40 L starved×1"},
		{"a third overlaps both", []story{first, {told("starved", 50), 40}, {told("starved", 45), 28}}, "20–50 L deadlock×1 starved×2"},
		{"of another lock", []story{first, {told("starved", 40).of("M"), 25}}, "20–30 L deadlock×1; 25–40 M starved×1"},
		{"beside one of exclusion that names the same lease", []story{first, now(told("double-grant", 25, 1, 2))}, "20–30 L deadlock×1; 25–25 L double-grant×1"},
		{"the history of a lock fits no order: part of its first incident", []story{linear("L"), now(told("double-grant", 25, 1, 2)), now(told("double-grant", 20, 3, 4))},
			"20–20 L double-grant×1 nonlinearizable×1; 25–25 L double-grant×1"},
		{"alone it lasts as long as the history", []story{linear("M"), now(told("double-grant", 25, 1, 2)), first}, "0–99 M nonlinearizable×1; 20–30 L deadlock×1; 25–25 L double-grant×1"},
		{"two at one moment", []story{now(told("early-open", 10)), now(told("early-open", 10))}, "10–10 L early-open×2"},
		{"two of exclusion at one time that name different leases", []story{{told("overrun", 20, 1), 10}, {told("overrun", 30, 2), 15}}, "20–20 L overrun×1; 30–30 L overrun×1"},
		{"what two observers of a leader saw", []story{{told("observer-disagrees", 20, 1), 10}, {told("observer-disagrees", 30, 2), 15}}, "20–30 L observer-disagrees×2"},
		{"a key that is no register", []story{{told("nonlinearizable", 20, 1).in(history.Plain), 10}, {told("nonlinearizable", 30, 2).in(history.Plain), 15}},
			"20–20 L nonlinearizable×1; 30–30 L nonlinearizable×1"},
		{"a latch that opened early has no lease", []story{now(told("early-open", 10)), now(told("early-open", 11))}, "10–10 L early-open×1; 11–11 L early-open×1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(c.want, incidentsOf(c.list)); d != "" {
				t.Error(d)
			}
		})
	}
}
