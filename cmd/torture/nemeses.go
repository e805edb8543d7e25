package main

import (
	"slices"

	"locktorture/nemesis"
	"locktorture/registry"
)

// anyFault tells that one of the named faults declares something; a name that is not known does not.
func anyFault(names []string, declares func(nemesis.Traits) bool) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		n, ok := registry.Nemeses()[name]
		return ok && declares(n.Traits())
	})
}
