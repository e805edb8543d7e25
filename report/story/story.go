// Package story tells a scripted run, which is short, from its first operation to its last: as
// a diagram for a page, as steps in words and in the language of Mermaid.
package story

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"locktorture/checker"
	"locktorture/history"
	"locktorture/report"
	"locktorture/report/diagram"
	"locktorture/report/votes"
	"locktorture/report/words"
)

// A Story is the sequence diagram of a whole scripted run: what happened, on the
// lifelines of nodes, locks, clients and stores, and what was violated.
type Story struct {
	actors  []actor
	events  []event
	bands   []spell
	holds   []spell
	dropped int // events that did not fit
	unsaid  int // rounds of requests that did not fit
}

// An actor has a lifeline.
type actor struct{ id, name, short, kind string } // kind: node, lock, client, store

// An event is a row of the diagram.
type event struct {
	time  int64
	from  string   // actor
	to    string   // actor; equal to from for what happens to one alone
	over  []string // several actors to whom it happens; from and to are empty
	label string
	more  string // a sentence below the label
	class string // call, ok, bad, begins, fault, heal, end, seen, violated, kept; said and votes are of messages
	fault int    // of a beginning: its number
	sent  int    // 1 + the row in which the message was sent, if others stand between; 0: none does
	open  bool   // a call that is answered further down
	named bool   // the checker names it as its witness
}

// A spell is a time that is marked on a lifeline, by rows.
type spell struct {
	actor    string
	from, to int    // rows; to is one past the last if it never ended
	class    string // of a lease: hold, beyond, open, overtaken; of a fault: taken, stopped, down, skewed, cut
	of       int64  // number of the lease or of the fault
}

// Bounds of a story.
const (
	maxRows    = 90
	maxClients = 8
)

// New tells the history of a scripted run and marks what the checker found.
func New(run report.Run, res checker.Result, h history.History) Story {
	s, _ := Traced(run, res, h, nil) // nobody is asked
	return s
}

// Traced is New for a run whose traffic was recorded: with what clients and servers said. A
// nil traffic is none.
func Traced(run report.Run, res checker.Result, h history.History, traffic votes.Traffic) (Story, error) {
	t := teller{run: run, h: h, calls: map[int]int{}, named: map[string]bool{}, shown: map[string]string{}, talks: map[int]bool{}, takes: map[int64][]int64{}}
	if err := t.meet(); err != nil {
		return Story{}, err
	}
	rows, err := t.listen(traffic)
	if err != nil {
		return Story{}, err
	}
	t.raise()
	t.expired()
	rows = append(rows, t.beginnings(rows)...)
	slices.SortStableFunc(rows, func(a, b event) int { return cmp.Compare(a.time, b.time) })
	found := t.findings(res)
	for i, op := range h {
		if !t.concerns(op) {
			continue
		}
		for len(rows) > 0 && rows[0].time <= op.Time {
			t.validities(rows[0].time)
			if t.node == "" {
				t.pending(-1) // the call that the message is of
			}
			t.beside(rows[0])
			rows = rows[1:]
		}
		t.validities(op.Time)
		t.entry(i, op)
		for len(found) > 0 && complete(found[0]) <= op.Time && op.Type != history.Invoke {
			t.violated(found[0], res)
			found = found[1:]
		}
	}
	for _, row := range rows {
		t.add(row)
	}
	for _, a := range found {
		t.violated(a, res)
	}
	if len(t.events) > 0 && !slices.ContainsFunc(res.Properties, func(p checker.Property) bool { return len(p.Anomalies) > 0 }) {
		t.add(event{time: -1, label: "nothing is violated", class: "kept"})
	}
	t.story.events = t.events
	t.close()
	return t.story.bounded(), nil
}

// findings returns the first anomaly of each kind, in the order in which they were complete.
// That an order is not linearizable is left out where something else tells it better.
func (t *teller) findings(res checker.Result) []checker.Anomaly {
	var found []checker.Anomaly
	seen := map[string]bool{}
	for _, p := range res.Properties {
		for _, a := range p.Anomalies {
			if seen[a.Kind] {
				continue
			}
			seen[a.Kind] = true
			found = append(found, a)
			for _, op := range a.Ops {
				t.named[diagram.Key(op)] = true
			}
		}
	}
	if len(found) > 1 {
		found = slices.DeleteFunc(found, func(a checker.Anomaly) bool { return a.Kind == "nonlinearizable" })
	}
	slices.SortStableFunc(found, func(a, b checker.Anomaly) int { return cmp.Compare(complete(a), complete(b)) })
	return found
}

// complete returns the time of the last operation that proves an anomaly.
func complete(a checker.Anomaly) int64 {
	t := a.Time
	for _, op := range a.Ops {
		if op.F != history.Probe {
			t = max(t, op.Time)
		}
	}
	return t
}

func (t *teller) violated(a checker.Anomaly, res checker.Result) {
	label := words.Word(a.Kind)
	if n := res.Counts.Anomalies[a.Kind]; n > 1 {
		label += fmt.Sprintf(" (the first of %d)", n)
	}
	t.add(event{time: -1, label: label, more: words.Sentence(a.Sentence), class: "violated"})
}

// bounded leaves out rows at the end of each run of alike ones until the rest fits a page.
func (s Story) bounded() Story {
	if len(s.events) <= maxRows {
		return s
	}
	last := s.events[len(s.events)-1]
	keep := maxRows
	for keep > 0 && len(s.events)-keep > 0 && s.events[keep-1].open {
		keep--
	}
	var kept []event
	for i, e := range s.events {
		if i < keep || e.class == "violated" {
			kept = append(kept, e)
		}
	}
	if last.class == "kept" {
		kept = append(kept, last)
	}
	s.dropped, s.events = len(s.events)-len(kept), kept
	for _, list := range []*[]spell{&s.bands, &s.holds} {
		*list = slices.DeleteFunc(*list, func(b spell) bool { return b.from >= keep })
		for i := range *list {
			(*list)[i].to = min((*list)[i].to, keep)
		}
	}
	return s
}

// Steps returns the rows in words.
func (s Story) Steps() []string {
	names := map[string]string{}
	for _, a := range s.actors {
		names[a.id] = a.name
	}
	var out []string
	for _, e := range s.events {
		when := ""
		if e.time >= 0 {
			when = words.At(e.time) + ": "
		}
		switch {
		case len(e.over) > 0:
			var who []string
			for _, id := range e.over {
				who = append(who, names[id])
			}
			out = append(out, fmt.Sprintf("%s%s – %s", when, strings.Join(who, ", "), e.label))
		case e.from == "":
			out = append(out, when+strings.TrimSuffix(fmt.Sprintf("%s: %s", e.label, e.more), ": "))
		case e.from == e.to:
			out = append(out, fmt.Sprintf("%s%s – %s", when, names[e.from], e.label))
		default:
			out = append(out, fmt.Sprintf("%s%s → %s: %s", when, names[e.from], names[e.to], e.label))
		}
	}
	return out
}
