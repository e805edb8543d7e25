package main

import (
	"maps"
	"slices"
	"strings"

	"locktorture/internal/suggest"
)

// unknownName says that a flag's value names nothing, and what is nearest.
func unknownName[V any](what, name string, known map[string]V) error {
	names := slices.Sorted(maps.Keys(known))
	if near := nearest(name, names); near != "" {
		return usage("no %s is called %q; did you mean %s? (torture list %ss)", what, name, near, strings.TrimSuffix(what, "s"))
	}
	return usage("no %s is called %q; there are %s", what, short(name, maxShown), strings.Join(names, ", "))
}

// nearest returns the name with the least edit distance, if that is small.
func nearest(name string, names []string) string { return suggest.Nearest(name, names) }

// short is the beginning of a text that a message repeats.
func short(text string, limit int) string { return suggest.Short(text, limit) }

// among is an error that tells the nearest name.
func among(name string, known []string) error { return suggest.Among(name, known) }
