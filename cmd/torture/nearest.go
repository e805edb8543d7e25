package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// unknownName says that a flag's value names nothing, and what is nearest.
func unknownName[V any](what, name string, known map[string]V) error {
	names := slices.Sorted(maps.Keys(known))
	if near := nearest(name, names); near != "" {
		return usage("no %s is called %q; did you mean %s? (torture list %ss)", what, name, near, strings.TrimSuffix(what, "s"))
	}
	return usage("no %s is called %q; there are %s", what, short(name, maxShown), strings.Join(names, ", "))
}

// longestName is more than any name has: what is longer is near to none.
const longestName = 48

// nearest returns the name with the least edit distance, if that is small.
func nearest(name string, names []string) string {
	if len(name) > longestName {
		return ""
	}
	best, least := "", 1+len(name)/3
	for _, n := range names {
		if d := levenshtein.ComputeDistance(name, n); d <= least {
			best, least = n, d-1
		}
	}
	return best
}
