package runs

import (
	"maps"
	"slices"

	"locktorture/registry"
	"locktorture/report"
)

// Versions returns the versions of this program, built from commit, and of the client libraries in it, by
// name.
func Versions(commit string) []report.Version {
	versions := registry.Versions()
	versions["torture"] = commit
	var list []report.Version
	for _, name := range slices.Sorted(maps.Keys(versions)) {
		list = append(list, report.Version{Name: name, Version: versions[name]})
	}
	return list
}
