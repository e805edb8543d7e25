package story

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"locktorture/report/words"
)

// Mermaid returns the story in the language of Mermaid, for pages in Markdown: the rows that matter, on at most five
// lifelines. A time is written where it is 10 ms later than the last that was.
func (s Story) Mermaid() string {
	s = s.brief()
	d := mermaid{ids: map[string]string{}, last: -1}
	d.WriteString("sequenceDiagram\n")
	for i, a := range s.actors {
		d.meet(i, a)
	}
	for i, e := range s.events {
		d.row(s, i, e)
	}
	return d.String()
}

// A mermaid is a drawing that is being written.
type mermaid struct {
	strings.Builder
	ids  map[string]string // actor → name in the drawing
	all  string            // the first lifeline and the last
	last int64             // time that was written last, in units of 10 ms
}

// simple is a name that needs no other in the drawing.
var simple = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9]*$`)

// meet writes the lifeline of an actor.
func (d *mermaid) meet(i int, a actor) {
	name, id := strings.TrimPrefix(a.name, "plain "), fmt.Sprintf("P%d", i+1)
	if simple.MatchString(name) {
		id = name
		fmt.Fprintf(d, "  participant %s\n", id)
	} else {
		fmt.Fprintf(d, "  participant %s as %s\n", id, words.Mermaid(name))
	}
	d.ids[a.id] = id
	if d.all == "" {
		d.all = id
	} else {
		d.all = strings.SplitN(d.all, ",", 2)[0] + "," + id
	}
}

// row writes an event.
func (d *mermaid) row(s Story, i int, e event) {
	label := words.Mermaid(strings.ReplaceAll(e.label, " = ", "="))
	switch {
	case e.class == "violated":
		fmt.Fprintf(d, "  rect rgba(179,38,30,0.2)\n  Note over %s: %s\n  end\n", d.all, label)
	case e.from == "" && len(e.over) == 0:
		fmt.Fprintf(d, "  Note over %s: %s\n", d.all, label)
	case len(e.over) > 0 || e.from == e.to:
		on := e.over
		if len(on) == 0 {
			on = []string{e.from}
		}
		over := d.ids[on[0]]
		if len(on) > 1 {
			over += "," + d.ids[on[len(on)-1]]
		}
		fmt.Fprintf(d, "  Note over %s: %s%s\n", over, d.when(e.time), label)
	default:
		fmt.Fprintf(d, "  %s%s%s: %s%s\n", d.ids[e.from], s.line(i), d.ids[e.to], d.when(e.time), label)
	}
}

// when returns a time, or "" if the rows before stand at the same.
func (d *mermaid) when(ns int64) string {
	if ns/1e7 == d.last {
		return ""
	}
	d.last = ns / 1e7
	return fmt.Sprintf("%.2fs ", float64(ns)/1e9)
}

// line returns the arrow of a row.
func (s Story) line(i int) string {
	switch e := s.events[i]; {
	case e.open:
		return "-)"
	case e.class == "bad":
		return "--x"
	}
	return "->>"
}

// brief returns the story without what a drawing on a page can do without: looks that show what is known, ends of
// faults, reasons of refusals, what follows on the last violation, and the lifelines beyond the fifth.
func (s Story) brief() Story {
	s = s.few()
	last := len(s.events)
	for i, e := range s.events {
		if e.class == "violated" {
			last = i + 1
		}
	}
	fenced := slices.ContainsFunc(s.actors, func(a actor) bool { return a.name == "fenced store" })
	var kept []event
	ended := true // the last grant, by its holder's own reading or by a release
	for _, e := range s.events[:last] {
		switch {
		case e.class == "heal", e.open && e.label == "release", e.class == "seen" && (ended || e.label != "seen: free"):
			continue
		case e.class == "seen":
			e.label, ended = "key gone", true
		case e.class == "violated" && len(kept) > 0 && kept[len(kept)-1].class == "violated":
			kept[len(kept)-1].label += ", " + e.label
			continue
		}
		if e.class == "end" || strings.HasPrefix(e.label, "release") {
			ended = true
		}
		if strings.HasPrefix(e.label, "granted") {
			ended = false
		}
		e.label = short(e.label, fenced)
		kept = append(kept, e)
	}
	s.events = kept
	return s.used()
}

// short leaves out the reason of a refusal, and a token that no store looks at.
func short(label string, fenced bool) string {
	for _, word := range []string{" refused: ", " unknown: "} {
		if i := strings.Index(label, word); i >= 0 {
			label = label[:i] + strings.TrimSuffix(word, ": ")
		}
	}
	if i := strings.LastIndex(label, ", token "); i >= 0 && !fenced {
		label = label[:i]
	}
	return label
}

// used leaves out lifelines to which nothing happens. A lock that is the only one needs no name.
func (s Story) used() Story {
	seen, locks := map[string]bool{}, 0
	for _, e := range s.events {
		seen[e.from], seen[e.to] = true, true
		for _, id := range e.over {
			seen[id] = true
		}
	}
	s.actors = slices.DeleteFunc(slices.Clone(s.actors), func(a actor) bool { return !seen[a.id] })
	for _, a := range s.actors {
		if a.kind == "lock" {
			locks++
		}
	}
	for i := range s.actors {
		if s.actors[i].kind == "lock" && locks == 1 {
			s.actors[i].name = "lock"
		}
	}
	return s
}

// mostLifelines is how many fit beside each other on a page in Markdown.
const mostLifelines = 5

// few puts all nodes on one lifeline, and leaves out clients and locks that nothing violated concerns, until the
// lifelines fit.
func (s Story) few() Story {
	if len(s.actors) <= mostLifelines {
		return s
	}
	s.actors, s.events = slices.Clone(s.actors), slices.Clone(s.events)
	s.gather()
	weight := map[string]int{}
	for _, e := range s.events {
		if e.named {
			weight[e.from]++
			weight[e.to]++
		}
	}
	for len(s.actors) > mostLifelines {
		drop := -1
		for i := len(s.actors) - 1; i >= 0; i-- { // the last of those that least concerns
			if a := s.actors[i]; (a.kind == "client" || a.kind == "lock") && (drop < 0 || weight[a.id] < weight[s.actors[drop].id]) {
				drop = i
			}
		}
		if drop < 0 {
			return s
		}
		id := s.actors[drop].id
		s.actors = slices.Delete(s.actors, drop, drop+1)
		s.events = slices.DeleteFunc(s.events, func(e event) bool {
			return e.from == id || e.to == id || slices.Contains(e.over, id)
		})
	}
	return s
}

// gather puts all nodes on one lifeline.
func (s *Story) gather() {
	node := map[string]bool{}
	for _, a := range s.actors {
		if a.kind == "node" {
			node[a.id] = true
		}
	}
	if len(node) < 2 {
		return
	}
	all := actor{"servers", "servers", "servers", "node"}
	s.actors = append([]actor{all}, slices.DeleteFunc(s.actors, func(a actor) bool { return node[a.id] })...)
	for i := range s.events {
		e := &s.events[i]
		if node[e.from] {
			e.from = all.id
		}
		if node[e.to] {
			e.to = all.id
		}
		if slices.ContainsFunc(e.over, func(id string) bool { return node[id] }) {
			e.over, e.from, e.to = nil, all.id, all.id
		}
	}
}
