package checker

import (
	"testing"

	"locktorture/checker/incident"
	"locktorture/history"
	"locktorture/timeline"
)

// TestHeadline: what a run came to in one line.
func TestHeadline(t *testing.T) {
	line := func(g Grade, total, rejected int, change func(r *Result)) string {
		r := &Result{Grade: g, Counts: timeline.Counts{Grants: 2098}, Incidents: incident.Incidents{Total: total, Causes: []incident.IncidentCause{{Incidents: total}}}}
		change(r)
		return headline(r, rejected)
	}
	as := func(*Result) {}
	lost := func(r *Result) { r.Stores = []StoreResult{{Store: history.Plain, Lost: 3, Of: 9, LossUnit: "units"}} }
	check(t, []border{
		{"safe", line(Safe, 0, 0, as), "no violation in 2,098 grants; no faults were injected"},
		{"with faults", line(Safe, 0, 0, func(r *Result) { r.Counts.Faults, r.Counts.Bites = 9, 7 }), "no violation in 2,098 grants; 7 effective faults"},
		{"safe, with what is no violation", line(Safe, 1, 0, as), "1 incident, no fault in place"},
		{"fenced", line(FencedG, 2, 1, as), "2 incidents, no fault in place; the fence rejected 1 stale operation"},
		{"unsafe, with a loss", line(Unsafe, 2, 0, lost), "2 incidents, no fault in place; 3 of 9 units lost"},
		{"without one", line(Unsafe, 2, 0, as), "2 incidents, no fault in place"},
		{"unknown", line(Unknown, 0, 0, func(r *Result) { r.Reason = "no end" }), "no end"},
	})
}

// TestLost: which store's loss is told.
func TestLost(t *testing.T) {
	in := func(store string, lost, of int) StoreResult {
		return StoreResult{Store: store, Lost: lost, Of: of, LossUnit: "units"}
	}
	plain, fenced := in(history.Plain, 3, 2000), in(history.Fenced, 2, 1500)
	check(t, []border{
		{"none", lost(nil), ""}, {"of the plain one", lost([]StoreResult{plain}), "3 of 2,000 units lost"},
		{"behind the fence", lost([]StoreResult{plain, fenced}), "2 of 1,500 units lost behind the fence"},
		{"the fence held", lost([]StoreResult{plain, in(history.Fenced, 0, 1500)}), "3 of 2,000 units lost"},
		{"the first lost nothing", lost([]StoreResult{in(history.Plain, 0, 9), fenced}), "2 of 1,500 units lost behind the fence"},
		{"of nothing", lost([]StoreResult{in(history.Plain, 3, 0)}), ""},
	})
}

// TestIncidentsSay: incidents by their causes, in words.
func TestIncidentsSay(t *testing.T) {
	clock := incident.IncidentCause{Nemesis: "clock", Effect: history.Skewed, Incidents: 1}
	rate := incident.IncidentCause{Nemesis: "clock", Effect: history.Skewed, Rate: true, Incidents: 2}
	none := incident.IncidentCause{Incidents: 1}
	says := func(total int, list ...incident.IncidentCause) string {
		return incident.Incidents{Total: total, Causes: list}.Says()
	}
	three := clock
	three.Incidents = 3
	check(t, []border{
		{"one", says(1, clock), "1 incident (clock jump)"}, {"no fault", says(1, none), "1 incident, no fault in place"},
		{"of one cause", says(3, three), "3 incidents (clock jump ×3)"}, {"of two", says(4, three, none), "4 incidents (clock jump ×3, no fault ×1)"},
		{"one clock that jumped, two that ran", says(3, rate, clock), "3 incidents (clock rate ×2, clock jump ×1)"},
		{"of two, first none", says(2, none, clock), "2 incidents (no fault ×1, clock jump ×1)"},
	})
}

// TestCauseNames: what happened, in words.
func TestCauseNames(t *testing.T) {
	name := func(e history.Effect, client bool) string {
		return incident.IncidentCause{Nemesis: "gremlin", Effect: e, Client: client}.Name()
	}
	check(t, []border{
		{"none", incident.IncidentCause{Effect: history.Killed}.Name(), "no fault"},
		{"stopped", name(history.Stopped, true), "stopped client"}, {"a server", name(history.Stopped, false), "stopped server"},
		{"killed", name(history.Killed, true), "killed client"},
		{"skewed", name(history.Skewed, true), "a client's clock"}, {"a server", name(history.Skewed, false), "clock jump"},
		{"held", name(history.Held, true), "delayed message"}, {"slowed", name(history.Slowed, false), "slow network"},
		{"demoted", name(history.Demoted, false), "fail-over"}, {"another", name(history.Down, false), "gremlin"}, {"of a client", name(history.Cut, true), "gremlin"},
	})
}
