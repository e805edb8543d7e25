// Package sources sums up the source files that a result depends on, so that a ledger can tell
// which of its lines are stale.
//
// It reads the checkout and needs no Go command. Comments and the layout of Go files do not
// count, nor do tests. What counts is in three parts:
//
//   - the lock: its entry in the registry with the functions that this calls, the packages of
//     locks that they name with all that these import, the versions of the modules that they
//     use, the program of a driver, and how its servers are started;
//   - the fault: its file and those that all faults share, and the links of the cluster. Of a
//     play the scripts instead of the faults;
//   - the checker: what records a run (harness, workloads) and what judges it (checker, with
//     all that it imports).
//
// Reading order: tree.go, entry.go, sums.go.
package sources
