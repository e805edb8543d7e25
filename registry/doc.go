// Package registry is what exists, as data: locks, workloads, faults, stores,
// servers. Everything that belongs to one of them stands in its entry, so that a
// new one is a line here and a file of its own. Each table is a function that
// returns it: nothing registers itself, and nothing is global.
//
// Names mean something only here and above. What is below takes values.
package registry
