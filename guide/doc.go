// Package guide computes the tables of published results from the runs that the ledger keeps:
// those of docs/choosing.md, which lock for which use, and those of results/.
//
// Prose stands in the pages, and has no figure that was measured. Figures stand in the tables,
// each of which is written between the markers of package ledger.
//
// Reading order: subjects.go (what is run for the pages), overview.go, rows.go, cells.go,
// costs.go, tracks.go (scripts); data.go; plan.go (what is to be run next).
package guide
