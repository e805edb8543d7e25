// Package ledger keeps one line for each run whose result is published, and computes from the
// lines what the pages say: how many of how many runs, and the bound that follows.
//
// The commands append the lines (--ledger DIR), each when its run is over. Nobody writes them by
// hand. A line says what was run, on what, what it came to, how busy the machine was, and the
// sums of the sources that the result depends on. When one of these changes the line is stale:
// it is shown as such until the run is repeated.
//
// Reading order: line.go (what a line says), read.go, append.go; cell.go (lines that belong
// together), bound.go, book.go; page.go (tables between the markers of a page). Then sources.go,
// sources_entry.go and sources_sums.go.
//
// # Sources
//
// The sums are of the files of a checkout; no Go command is needed. Comments and the layout of Go
// files do not count, nor do tests. There are three:
//
//   - the lock: its entry in the registry with the functions that this calls, the packages of
//     locks that they name with all that these import, the versions of the modules that they
//     use, the program of a driver, and how its servers are started;
//   - the fault: its file and those that all faults share, and the links of the cluster. Of a
//     play the scripts instead of the faults;
//   - the checker: what records a run (harness, workloads) and what judges it (checker, with
//     all that it imports).
package ledger
