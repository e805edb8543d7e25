package registry

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"locktorture/checker"
	"locktorture/internal/suggest"
)

// Unknown returns the error for a name that no entry of a table has. The error suggests the nearest
// name, or else lists all names or the command that lists them. what is the kind of entry in the
// singular: "backend".
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

// ParseExpectation is like [checker.ParseExpectation], but its errors suggest the anomaly that was
// probably meant.
func ParseExpectation(text string) (checker.Expectation, error) {
	for _, name := range strings.Split(text, "+")[1:] {
		if near := suggest.Nearest(name, checker.Kinds()); near != "" && near != name {
			return checker.Expectation{}, fmt.Errorf("expectation %q: no anomaly is called %q; did you mean %s?", text, name, near)
		}
	}
	return checker.ParseExpectation(text)
}

// mostNamed is the largest number of names that an error lists if a command can list them as well.
const mostNamed = 20

// listOf returns the command that lists a kind of entry, in parentheses; "" if no command does.
func listOf(what string) string {
	kind := map[string]string{
		"backend": "backends", "workload": "workloads", "store": "stores", "topology": "topologies", "nemesis": "nemeses", "scenario": "scenarios", "model": "models", "mutant": "mutants",
	}[what]
	if kind == "" {
		return ""
	}
	return " (torture list " + kind + ")"
}
