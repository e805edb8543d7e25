// Package guide computes the tables of docs/choosing.md and results/cells.md: which lock for
// which use, from the runs that the ledger keeps.
//
// Prose stands in the pages, and has no figure that was measured. Figures stand in the tables,
// each of which is written between the markers of package ledger.
//
// Reading order: subjects.go (what is run for the pages), overview.go, rows.go, cells.go,
// costs.go; data.go; plan.go (what is to be run next).
package guide
