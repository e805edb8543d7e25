package registry

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"locktorture/checker"
	"locktorture/internal/suggest"
)

// Unknown returns the error that no entry of a table has that name: it says which is nearest,
// else all. what is the kind of entry in the singular, "backend".
func Unknown[V any](what, name string, known map[string]V) error {
	names := slices.Sorted(maps.Keys(known))
	if near := suggest.Nearest(name, names); near != "" {
		return fmt.Errorf("no %s is called %q; did you mean %s?%s", what, name, near, listOf(what))
	}
	if list := listOf(what); list != "" && len(names) > mostNamed {
		return fmt.Errorf("no %s is called %q%s", what, suggest.Short(name, suggest.Shown), list)
	}
	return fmt.Errorf("no %s is called %q; there are %s", what, suggest.Short(name, suggest.Shown), strings.Join(names, ", "))
}

// ParseExpectation is [checker.ParseExpectation], whose errors say which anomaly was meant.
func ParseExpectation(text string) (checker.Expectation, error) {
	for _, name := range strings.Split(text, "+")[1:] {
		if near := suggest.Nearest(name, checker.Kinds()); near != "" && near != name {
			return checker.Expectation{}, fmt.Errorf("expectation %q: no anomaly is called %q; did you mean %s?", text, name, near)
		}
	}
	return checker.ParseExpectation(text)
}

// mostNamed is how many names an error lists, where a command lists them too.
const mostNamed = 20

// listOf says which command lists that kind of entry; "" if none does.
func listOf(what string) string {
	kind := map[string]string{
		"backend": "backends", "workload": "workloads", "store": "stores", "topology": "topologies", "nemesis": "nemeses", "scenario": "scenarios", "model": "models", "mutant": "mutants",
	}[what]
	if kind == "" {
		return ""
	}
	return " (torture list " + kind + ")"
}
