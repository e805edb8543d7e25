package play

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"locktorture/registry"
	"locktorture/scenarios"
)

// All selects every scenario.
const All = "all"

// Choose returns the cases of a scenario, or of All, with a given lock and variant; "" selects
// every one. The error lists the possible choices.
func Choose(scenario, backend, variant string, locks map[string]registry.Backend) ([]Play, error) {
	known := map[string]bool{}
	var chosen []Play
	for _, n := range scenarios.All() {
		known[n.Name] = true
		if scenario != All && scenario != n.Name {
			continue
		}
		for _, c := range n.Cases {
			if (backend == "" || c.Backend == backend) && (variant == "" || c.Variant == variant) {
				chosen = append(chosen, Play{n, c})
			}
		}
	}
	if scenario != All && !known[scenario] {
		return nil, registry.Unknown("scenario", scenario, known)
	}
	if _, ok := locks[backend]; backend != "" && !ok {
		return nil, registry.Unknown("backend", backend, locks)
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("scenario %s does not apply to %s; it applies to %s", scenario,
			strings.TrimSpace(backend+" "+variant), strings.Join(appliesTo(scenario), ", "))
	}
	return chosen, nil
}

func appliesTo(scenario string) []string {
	var out []string
	for _, n := range scenarios.All() {
		if n.Name == scenario {
			for _, c := range n.Cases {
				out = append(out, c.Name())
			}
		}
	}
	return slices.Compact(out)
}

// Served removes the plays whose locks are missing, because they are drivers whose runtimes are not
// installed. It also returns the names of those.
func Served(plays []Play, locks map[string]registry.Backend) (kept []Play, missing []string) {
	without := map[string]bool{}
	for _, p := range plays {
		if _, ok := locks[p.Case.Backend]; ok {
			kept = append(kept, p)
		} else {
			without[p.Case.Backend] = true
		}
	}
	return kept, slices.Sorted(maps.Keys(without))
}
