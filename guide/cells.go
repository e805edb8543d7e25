package guide

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A cell is what results/expected.yaml says of one lock under one fault.
type cell struct {
	verdict string   // the first grade: of several, the hazard
	others  []string // grades that a run can honestly come to instead
	rate    string   // how often the first was seen, "1 of 3"; "" where there is one
	seen    bool     // a run has shown it; else the design of the lock makes one expect it
	none    bool     // the fault cannot be injected
}

// cells reads the file. matrix.ParseExpectations reads it strictly; this reads what it leaves
// out, the rates and "# seen".
func cells(text []byte) (map[string]map[string]cell, error) {
	var file map[string]map[string]yaml.Node
	if err := yaml.Unmarshal(text, &file); err != nil {
		return nil, err
	}
	all := map[string]map[string]cell{}
	for backend, row := range file {
		all[backend] = map[string]cell{}
		for nemesis, n := range row {
			c, err := cellOf(&n)
			if err != nil {
				return nil, fmt.Errorf("%s, %s: %w", backend, nemesis, err)
			}
			all[backend][nemesis] = c
		}
	}
	return all, nil
}

func cellOf(n *yaml.Node) (c cell, err error) {
	if n.Kind == yaml.ScalarNode {
		return cell{verdict: n.Value, seen: strings.Contains(n.LineComment, "seen"), none: n.Value == "n/a"}, nil
	}
	var choice struct {
		Any       []string
		Rate, Why string
		Unjudged  string
		Counter   string // of a cell by workload
	}
	if err := n.Decode(&choice); err != nil {
		return c, err
	}
	switch {
	case len(choice.Any) > 0:
		// Of several verdicts each is an honest outcome of a run; the rate belongs to the
		// first.
		return cell{verdict: choice.Any[0], others: choice.Any[1:], rate: choice.Rate, seen: choice.Rate != "" && !strings.HasPrefix(choice.Rate, "0 ")}, nil
	case choice.Counter != "":
		return cell{verdict: choice.Counter, seen: strings.Contains(n.LineComment, "seen")}, nil
	}
	return cell{none: true}, nil
}

// grade is the first word of a verdict: safe, fenced, unsafe; of a safe one also what fails
// beside it.
func grade(verdict string) string {
	g, _, _ := strings.Cut(verdict, "+")
	if g == "safe" {
		return long(verdict)
	}
	return g
}

// long is a verdict as it stands in a sentence: "unsafe (overrun)".
func long(verdict string) string {
	g, kinds, some := strings.Cut(verdict, "+")
	if !some {
		return g
	}
	if kinds = strings.ReplaceAll(kinds, "+", ", "); g == "safe" {
		return "safe, but " + kinds // it fails a run, too
	}
	return fmt.Sprintf("%s (%s)", g, kinds)
}

// String is what was seen, or what may be.
func (c cell) String() string {
	switch {
	case c.none:
		return "–"
	case len(c.others) == 0 && !c.seen:
		return long(c.verdict) + ", not seen yet"
	case len(c.others) == 0:
		return long(c.verdict)
	}
	var others []string
	for _, o := range c.others {
		others = append(others, long(o))
	}
	rate := c.rate
	if rate == "" {
		rate = "not counted"
	}
	return fmt.Sprintf("%s in %s runs, else %s", long(c.verdict), rate, strings.Join(others, " or "))
}

// short is the same for a narrow column: the grades, the worst first.
func (c cell) short() string {
	switch {
	case c.none:
		return "–"
	case !c.seen && len(c.others) == 0:
		return "(" + grade(c.verdict) + ")"
	case !c.seen: // the hazard is possible, and did not come
		return grade(c.others[0]) + "*"
	case len(c.others) > 0 && grade(c.others[0]) != grade(c.verdict):
		return grade(c.verdict) + "*"
	}
	return grade(c.verdict)
}
