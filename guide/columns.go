package guide

import "slices"

// A Column is a fault as the tables call it.
type Column struct{ Nemesis, Head, Size string }

// Columns returns the faults of the first table, in its order.
func Columns() (list []Column) {
	for _, f := range faults() {
		list = append(list, Column{f.nemesis, f.head, f.size})
	}
	return list
}

// Chosen returns the locks of the first table, in its order.
func Chosen() []string { return chosen() }

// Inapplicable says why a lock of the first table cannot suffer a fault, by what it is; "" if it can, or
// if nobody has said.
func Inapplicable(lock, nemesis string) string {
	if !slices.Contains(chosen(), lock) {
		return ""
	}
	return inapplicable(lock, nemesis)
}
