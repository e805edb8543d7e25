package diagram

import (
	"fmt"
	"strings"

	"locktorture/checker"
	"locktorture/report/words"
)

// One draws a single anomaly.
func One(a checker.Anomaly) *Set {
	return &Set{
		anomalies: []checker.Anomaly{a}, gather: newGatherer([]checker.Anomaly{a}),
		list: []Diagram{{ID: 1, Kind: words.Word(a.Kind), Sentence: words.Sentence(a.Sentence)}},
	}
}

// Mermaid returns the first drawing in the language of Mermaid, for pages in Markdown; "" if
// there is none. Its lifelines stand in the order of the page's.
func (s *Set) Mermaid() string {
	if len(s.list) == 0 {
		return ""
	}
	steps, dropped := stepsOf(s.anomalies[0], s.gather.found[0])
	var b strings.Builder
	b.WriteString("sequenceDiagram\n")
	ids := map[string]string{}
	for i, name := range lifelines(steps) {
		ids[name] = fmt.Sprintf("P%d", i+1)
		fmt.Fprintf(&b, "  participant %s as %s\n", ids[name], words.Mermaid(name))
	}
	for _, st := range steps {
		text := fmt.Sprintf("%.3f s %s", float64(st.time)/1e9, words.Mermaid(st.label))
		if st.witness {
			text = "(!) " + text
		}
		if st.from == st.to {
			fmt.Fprintf(&b, "  Note over %s: %s\n", ids[st.from], text)
			continue
		}
		fmt.Fprintf(&b, "  %s%s%s: %s\n", ids[st.from], arrow(st.class), ids[st.to], text)
	}
	if dropped > 0 {
		fmt.Fprintf(&b, "  Note over P1: %d less important steps are left out\n", dropped)
	}
	return b.String()
}

// arrow returns the line of a step.
func arrow(class string) string {
	if class == "bad" {
		return "--x"
	}
	return "->>"
}
