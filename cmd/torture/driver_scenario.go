package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// served leaves out the drivers whose runtimes are not here, and says which.
func served(plays []play, w io.Writer) ([]play, error) {
	known := backends()
	missing := map[string]bool{}
	kept := slices.DeleteFunc(plays, func(p play) bool {
		_, ok := known[p.Case.Backend]
		if !ok {
			missing[p.Case.Backend] = true
		}
		return !ok
	})
	names := strings.Join(slices.Sorted(maps.Keys(missing)), ", ")
	switch {
	case len(kept) == 0:
		return nil, usage("the runtime of %s is not installed; run: make servers", names)
	case names != "":
		fmt.Fprintf(w, "left out, as their runtimes are not installed: %s\n", names)
	}
	return kept, nil
}
