// Package ledger keeps one line for each run whose result is published, and computes from the
// lines what the pages say: how many of how many runs, and the bound that follows.
//
// The commands append the lines (--ledger DIR), each when its run is over. Nobody writes them by
// hand. A line says what was run, on what, what it came to, how busy the machine was, and the
// sums of the sources that the result depends on (package ledger/sources). When one of these
// changes the line is stale: it is shown as such until the run is repeated.
//
// Reading order: line.go (what a line says), read.go, append.go; cell.go (lines that belong
// together), bound.go; page.go (tables between the markers of a page).
package ledger
