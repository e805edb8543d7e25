package matrix

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"locktorture/internal/plainfile"
	"locktorture/internal/strictyaml"
	"locktorture/nemesis"
	"locktorture/registry"
)

// notPossible is what is expected of a cell whose fault cannot be injected,
// notJudged of one of which no verdict can be trusted yet.
const (
	notPossible = "n/a"
	notJudged   = "not judged"
)

// A cellExpectation is what a cell must come to, in any case and by workload:
// one verdict, or several joined by orElse, any of which will do.
type cellExpectation struct {
	text       string // "" if only workloads are named
	byWorkload map[string]string
}

// orElse stands between verdicts of which any will do.
const orElse = " or "

// Expectations are what each backend must come to under each set of faults.
// A nil one expects nothing and complains about nothing.
type Expectations map[string]map[string]cellExpectation

// ReadExpectations reads a file that says, for backend → nemesis, either GRADE[+anomaly…] or
// n/a, or several grades of which any will do and why, or one of these by workload. locks are
// the names of all backends. It is strict: a name that does not exist, a grade, an anomaly, a
// key that is there twice or a choice without a reason is an error that names the line.
func ReadExpectations(path string, locks []string) (Expectations, error) {
	return readExpectations(path, locks, registry.Nemeses())
}

// ReadAppExpectations is ReadExpectations for programs.
func ReadAppExpectations(path string, apps map[string]App) (Expectations, error) {
	return readExpectations(path, slices.Sorted(maps.Keys(apps)), Config{Apps: apps}.kinds())
}

func readExpectations(path string, names []string, known nemesis.Kinds) (Expectations, error) {
	text, err := plainfile.Read(path, plainfile.Text)
	if err != nil {
		return nil, err
	}
	return parseExpectations(path, text, names, known)
}

// ParseExpectations reads the text of a file of expectations.
func ParseExpectations(path string, text []byte, locks []string) (Expectations, error) {
	return parseExpectations(path, text, locks, registry.Nemeses())
}

func parseExpectations(path string, text []byte, locks []string, known nemesis.Kinds) (Expectations, error) {
	doc, err := strictyaml.Parse(path, text)
	if err != nil {
		return nil, err
	}
	if doc == nil {
		return nil, fmt.Errorf("%s: nothing is expected", path)
	}
	f := expectFile{strictyaml.Reader{Path: path}, known, slices.Sorted(maps.Keys(registry.Workloads()))}
	all := Expectations{}
	err = f.Each(doc, locks, func(backend, v *yaml.Node) error {
		all[backend.Value] = map[string]cellExpectation{}
		return f.Each(v, nil, func(key, v *yaml.Node) error {
			nemesis := key.Value
			sets, err := setsOf(f.nemeses, []string{nemesis})
			if err != nil || nemesis == "all" || sets[0] != nemesis {
				return f.Wrong(key, "no nemesis is called %q, or the names are not in order; write none, or names in alphabetical order joined by +", nemesis)
			}
			all[backend.Value][nemesis], err = f.cell(v)
			return err
		})
	})
	return all, err
}

// An expectFile is a file of expectations that is being read.
type expectFile struct {
	strictyaml.Reader
	nemeses   nemesis.Kinds // that there are
	workloads []string      // that there are
}

func (f expectFile) cell(n *yaml.Node) (c cellExpectation, err error) {
	if n.Kind == yaml.ScalarNode || isChoice(n) {
		c.text, err = f.verdict(n)
		return c, err
	}
	if n.Kind == yaml.MappingNode && len(n.Content) == 0 {
		return c, f.Wrong(n, "nothing is expected here: a grade is needed, or one for each workload")
	}
	c.byWorkload = map[string]string{}
	err = f.Each(n, f.workloads, func(workload, v *yaml.Node) (err error) {
		c.byWorkload[workload.Value], err = f.verdict(v)
		return err
	})
	return c, err
}

// isChoice reports whether a mapping lists verdicts instead of workloads.
func isChoice(n *yaml.Node) bool {
	for i := 0; n.Kind == yaml.MappingNode && i < len(n.Content); i += 2 {
		if slices.Contains(choiceKeys, n.Content[i].Value) {
			return true
		}
	}
	return false
}

// choiceKeys are the keys of a choice: the verdicts, and why one run may show another than the
// next; or why no verdict is expected.
var choiceKeys = []string{"any", "why", "unjudged"}

func (f expectFile) verdict(n *yaml.Node) (string, error) {
	if isChoice(n) {
		return f.choice(n)
	}
	if n.Kind != yaml.ScalarNode {
		return "", f.Wrong(n, "a grade is needed here: GRADE[+anomaly…] or %s", notPossible)
	}
	if n.Value == notPossible {
		return n.Value, nil
	}
	if _, err := registry.ParseExpectation(n.Value); err != nil {
		return "", f.Wrong(n, "%v", err)
	}
	return n.Value, nil
}

// choice reads verdicts of which any will do.
func (f expectFile) choice(n *yaml.Node) (string, error) {
	var any []string
	why, unjudged := "", false
	err := f.Each(n, choiceKeys, func(key, v *yaml.Node) error {
		switch key.Value {
		case "any":
			if v.Kind != yaml.SequenceNode || len(v.Content) < 2 {
				return f.Wrong(v, "any: a list of at least two grades is needed")
			}
			for _, item := range v.Content {
				if _, err := registry.ParseExpectation(item.Value); err != nil {
					return f.Wrong(item, "%v", err)
				}
				any = append(any, item.Value)
			}
		case "why":
			why = v.Value
		case "unjudged":
			why, unjudged = v.Value, true
		}
		return nil
	})
	switch {
	case err != nil:
	case why == "" || unjudged == (len(any) > 0):
		err = f.Wrong(n, "a choice of grades needs the fields any and why; a cell that is not judged needs only the field unjudged, with the reason")
	case unjudged:
		return notJudged, nil
	}
	return strings.Join(any, orElse), err
}

// Of returns what is expected of a cell; "" if nothing is said about it.
func (e Expectations) Of(backend, nemesis, workload string) string {
	c := e[backend][nemesis]
	if text, ok := c.byWorkload[workload]; ok {
		return text
	}
	return c.text
}
