package registry

import (
	"slices"

	"locktorture/nemesis"
)

// Nemeses returns the faults by the names that they declare.
func Nemeses() nemesis.Kinds { return nemesis.All() }

// AnyFault reports whether declares is true for the traits of one of the named faults. It ignores
// unknown names.
func AnyFault(names []string, declares func(nemesis.Traits) bool) bool {
	known := Nemeses()
	return slices.ContainsFunc(names, func(name string) bool {
		n, ok := known[name]
		return ok && declares(n.Traits())
	})
}
