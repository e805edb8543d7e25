package incident

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"locktorture/history"
	"locktorture/timeline"
)

// faultOf is a fault of a kind that struck a client, or none in particular where that is 0.
func faultOf(kind string, client int) *history.Op {
	return &history.Op{F: history.Fault, Process: history.Nemesis, Key: kind, Client: client}
}

// TestCausesCounted: incidents are counted by the kind of fault that is blamed, the most frequent
// first.
func TestCausesCounted(t *testing.T) {
	list := func(faults ...*history.Op) string {
		var all []Incident
		for _, f := range faults {
			all = append(all, Incident{Cause: f})
		}
		var out []string
		for _, c := range causes(all) {
			out = append(out, fmt.Sprintf("%s %v×%d", c.Nemesis, c.Client, c.Incidents))
		}
		return fmt.Sprint(out)
	}
	client, server, clock := faultOf("pause", 1), faultOf("pause", 0), faultOf("clock", 0)
	check(t, []border{
		{"one twice", list(client, client), "[pause true×2]"},
		{"of two clients", list(client, faultOf("pause", 2)), "[pause true×2]"},
		{"of a client and of a server", list(client, server), "[pause true×1 pause false×1]"},
		{"of two kinds", list(server, clock), "[pause false×1 clock false×1]"},
		{"the most frequent first", list(client, server, clock, clock, server, clock), "[clock false×3 pause false×2 pause true×1]"},
		{"none in place", list(nil, clock, nil), "[ false×2 clock false×1]"},
	})
}

// TestBlameRanks: how faults rank that were in place, by whom they struck and by what was
// found; docs/verdicts.md has the table.
func TestBlameRanks(t *testing.T) {
	pause := history.FaultTraits{Effect: history.Stopped}
	takes := history.FaultTraits{TakesLocks: true}
	rank := func(kind string, traits history.FaultTraits, client int, named ...int) int {
		a := Anomaly{Kind: kind, Property: NewBook(nil, someKinds()).propertyOf(kind)}
		for _, c := range named {
			a.Ops = append(a.Ops, history.Op{Client: c})
		}
		return rank(&timeline.Fault{Op: &history.Op{Client: client}, Traits: traits}, &a)
	}
	all := pause
	all.UpsetsAll = true
	plain := history.FaultTraits{Effect: history.Slowed}
	check(t, []border{
		{"overrun: its holder was stopped", rank(Overrun, pause, 1, 1), 3}, {"another was", rank(Overrun, pause, 2, 1), 0},
		{"overrun: a clock of a server", rank(Overrun, takes, 0, 1), 1}, {"a network", rank(Overrun, plain, 0, 1), 1},
		{"liveness: its holder was stopped", rank("deadlock", pause, 1, 1), 2}, {"a clock of a server", rank("deadlock", takes, 0, 1), 2},
		{"a network", rank("deadlock", plain, 0, 1), 1}, {"another was", rank("deadlock", pause, 2, 1), 0},
		{"others: a clock of a server", rank("double-grant", takes, 0, 1), 3}, {"a server that stood still", rank("double-grant", pause, 0, 1), 3},
		{"its holder was stopped", rank("double-grant", pause, 1, 1), 2}, {"a network", rank("double-grant", plain, 0, 1), 1},
		{"another was, from which all suffer", rank("double-grant", all, 2, 1), 1},
		{"what names no client was struck by none", rank("double-grant", plain, 0, 0), 1},
	})
}

// TestBlamedFault: of an anomaly at 200 whose story begins at 100.
func TestBlamedFault(t *testing.T) {
	at := func(from, to int64) *timeline.Fault {
		return &timeline.Fault{Op: &history.Op{F: history.Fault, Time: from}, Traits: history.FaultTraits{TakesLocks: true}, From: from, To: to}
	}
	network := func(from int64) *timeline.Fault {
		s := at(from, 300)
		s.Traits.TakesLocks = false
		return s
	}
	blamed := func(faults ...*timeline.Fault) *timeline.Fault {
		return NewBook(&timeline.Run{Troubles: timeline.Troubles{Faults: faults}}, someKinds()).blamedFault(&Anomaly{Kind: "double-grant", Property: Exclusion, Time: 200}, 100)
	}
	none := (*timeline.Fault)(nil)
	first, second, early, late, over := at(150, 300), at(150, 300), at(150, 300), at(200, 300), at(10, 99)
	early.Traits.SeenLate = 100 * time.Nanosecond // recorded later, and it began before
	slow := network(180)
	check(t, []border{
		{"over as the story began", blamed(at(10, 100)) == nil, false}, {"over before", blamed(over), none},
		{"it began with the anomaly", blamed(late), late}, {"later", blamed(at(201, 300)), none},
		{"one that counts after one that does not", blamed(over, first), first},
		{"two at one moment: the last that was recorded", blamed(first, second), second},
		{"the later one", blamed(first, late), late}, {"the one recorded last began first", blamed(first, early), first},
		{"a later one of a lower rank", blamed(first, slow), first}, {"an earlier one of a lower rank", blamed(network(120), first), first},
	})
}

// TestChainStretches: a chain is named after its first anomaly, of those at one time after the
// one whose story begins first.
func TestChainStretches(t *testing.T) {
	chainAt := func(lock string, start, from, end int64) *Chain {
		return &Chain{lock: lock, start: start, from: from, opens: from, end: end, counts: map[string]int{}, witnessed: map[string]bool{}}
	}
	stretched := func(d *Chain) string {
		c := chainAt("L", 100, 50, 200)
		c.stretch(d)
		return fmt.Sprint(c.lock, c.start, c.from, c.opens, c.end)
	}
	check(t, []border{
		{"earlier", stretched(chainAt("M", 99, 60, 150)), "M99 60 50 200"},
		{"later", stretched(chainAt("M", 101, 40, 201)), "L100 50 40 201"},
		{"at once, with an earlier story", stretched(chainAt("M", 100, 49, 200)), "M100 49 49 200"},
		{"at once, with the same story", stretched(chainAt("M", 100, 50, 200)), "L100 50 50 200"},
		{"at once, with a later one", stretched(chainAt("M", 100, 51, 200)), "L100 50 50 200"},
	})
}

// TestChainAbsorbs: what a chain takes over of another: of what its first anomaly is put down
// to, what it cost, and of which kinds a witness is kept.
func TestChainAbsorbs(t *testing.T) {
	a, b := &timeline.Fault{}, &timeline.Fault{}
	blamed := func(first *timeline.Fault, at int64, second *timeline.Fault, then int64) *timeline.Fault {
		c := &Chain{}
		c.blame(first, at)
		c.blame(second, then)
		return c.cause
	}
	lost := func(stores ...string) int {
		c, d := &Chain{}, &Chain{}
		for _, s := range stores {
			c.Cost(s, "units", 2)
			d.Cost(s, "units", 3)
		}
		c.absorb(d)
		return c.lost["plain"].Lost
	}
	witnessed := func(first, second bool) bool {
		one := func(kept bool) *Chain {
			return &Chain{counts: map[string]int{"overrun": 1}, witnessed: map[string]bool{"overrun": kept}}
		}
		c := one(first)
		c.absorb(one(second))
		return c.witnessed["overrun"]
	}
	check(t, []border{
		{"none", blamed(nil, 0, nil, 0), (*timeline.Fault)(nil)}, {"the only one", blamed(nil, 0, a, 9), a}, {"no other", blamed(a, 9, nil, 5), a},
		{"the earlier", blamed(a, 9, b, 8), b}, {"the later", blamed(a, 9, b, 10), a}, {"at one time", blamed(a, 9, b, 9), a},
		{"of one store", lost("plain"), 5}, {"of another", lost("fenced"), 0}, {"of both", lost("fenced", "plain"), 5},
		{"kept of the first", witnessed(true, false), true}, {"of the second", witnessed(false, true), true}, {"of none", witnessed(false, false), false},
	})
}

// TestIncidentWithoutWitness: what is known of an incident of which no anomaly was kept, and
// which are listed.
func TestIncidentWithoutWitness(t *testing.T) {
	clock := faultOf("clock", 0)
	put := func(cause *timeline.Fault) *history.Op {
		return NewBook(&timeline.Run{}, someKinds()).incident(&Chain{cause: cause}, nil).Cause
	}
	down := func(f *history.Op) string {
		c := Incident{Cause: f}.PutDownTo()
		return fmt.Sprint(c.Nemesis, " ", c.Client)
	}
	shown := func(kind string) Incident {
		return Incident{Anomalies: map[string]int{kind: 1}, Witness: Anomaly{Kind: kind}}
	}
	unknown := Incident{Anomalies: map[string]int{"orphan": 1}}
	kept := func(all ...Incident) string { return fmt.Sprint(slices.Sorted(maps.Keys(chosen(all)))) }
	many := slices.Repeat([]Incident{shown("overrun")}, listed+1)
	check(t, []border{
		{"its fault", put(&timeline.Fault{Op: clock}), clock}, {"none", put(nil), (*history.Op)(nil)},
		{"of a server", down(clock), "clock false"}, {"of a client", down(faultOf("pause", 1)), "pause true"},
		{"without a witness it is not listed", kept(unknown, shown("overrun"), unknown), "[1]"},
		{"as many as there is room for", len(chosen(many)), listed}, {"and those of new kinds", len(chosen(append(many, shown("orphan")))), listed},
	})
	if !chosen(slices.Concat([]Incident{unknown}, many, []Incident{shown("orphan")}))[listed+2] {
		t.Error("the first of its kind is not listed")
	}
}
