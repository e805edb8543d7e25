package wire

import "strings"

// Faults is a set of kinds of fault, as a cell of a matrix names it: "clock+pause". The order
// is the caller's.
func Faults(kinds []string) string { return strings.Join(kinds, "+") }

// FaultKinds reads a set.
func FaultKinds(set string) []string { return strings.Split(set, "+") }
