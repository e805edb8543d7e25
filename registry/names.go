package registry

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"locktorture/internal/suggest"
)

// Unknown is the error that no entry of a table has that name: it says which is
// nearest, else all. what is the kind of entry in the singular, "backend".
func Unknown[V any](what, name string, known map[string]V) error {
	names := slices.Sorted(maps.Keys(known))
	if near := suggest.Nearest(name, names); near != "" {
		return fmt.Errorf("no %s is called %q; did you mean %s? (torture list %ss)", what, name, near, strings.TrimSuffix(what, "s"))
	}
	return fmt.Errorf("no %s is called %q; there are %s", what, suggest.Short(name, suggest.Shown), strings.Join(names, ", "))
}
