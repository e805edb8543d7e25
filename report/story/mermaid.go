package story

import (
	"fmt"
	"strings"

	"locktorture/report/words"
)

// Mermaid returns the story in the language of Mermaid, for pages in Markdown.
func (s Story) Mermaid() string {
	var b strings.Builder
	b.WriteString("sequenceDiagram\n")
	ids := map[string]string{}
	for i, a := range s.actors {
		ids[a.id] = fmt.Sprintf("P%d", i+1)
		fmt.Fprintf(&b, "  participant %s as %s\n", ids[a.id], words.Mermaid(a.name))
	}
	all := ""
	if n := len(s.actors); n > 0 {
		all = "P1"
		if n > 1 {
			all += fmt.Sprintf(",P%d", n)
		}
	}
	for i, e := range s.events {
		when := fmt.Sprintf("%.2f s ", float64(e.time)/1e9)
		switch {
		case e.from == "" && len(e.over) == 0 && e.class == "violated":
			fmt.Fprintf(&b, "  rect rgba(179, 38, 30, 0.2)\n  Note over %s: !! %s\n  end\n", all, words.Mermaid(e.label))
		case e.from == "" && len(e.over) == 0:
			label := e.label
			if e.more != "" {
				label = when + label + ": " + e.more
			}
			fmt.Fprintf(&b, "  Note over %s: %s\n", all, words.Mermaid(label))
		case len(e.over) > 0:
			over := ids[e.over[0]]
			if n := len(e.over); n > 1 {
				over += "," + ids[e.over[n-1]]
			}
			label := e.label
			if len(e.over) > 2 || len(e.over) == 2 && !s.beside(e.over[0], e.over[1]) {
				label += " (" + s.named(e.over) + ")"
			}
			fmt.Fprintf(&b, "  Note over %s: %s%s\n", over, when, words.Mermaid(label))
		case e.from == e.to:
			fmt.Fprintf(&b, "  Note over %s: %s%s\n", ids[e.from], when, words.Mermaid(e.label))
		default:
			fmt.Fprintf(&b, "  %s%s%s: %s%s\n", ids[e.from], s.line(i), ids[e.to], when, words.Mermaid(e.label))
		}
	}
	return b.String()
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

func (s Story) beside(a, b string) bool {
	for i := 1; i < len(s.actors); i++ {
		if s.actors[i-1].id == a && s.actors[i].id == b {
			return true
		}
	}
	return false
}

func (s Story) named(ids []string) string {
	var out []string
	for _, a := range s.actors {
		for _, id := range ids {
			if a.id == id {
				out = append(out, a.name)
			}
		}
	}
	return strings.Join(out, ", ")
}
