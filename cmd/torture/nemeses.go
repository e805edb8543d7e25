package main

import (
	"locktorture/nemesis"
	"locktorture/registry"
)

// anyFault tells that one of the named faults declares something; a name that is not known does not.
func anyFault(names []string, declares func(nemesis.Traits) bool) bool {
	return registry.AnyFault(names, declares)
}
