// Package export writes a recorded run in the forms that other programs read: EDN for Jepsen
// and its like (edn.go), trace events for Perfetto and Chrome (perfetto.go, tracks.go), CSV
// for spreadsheets and data frames (csv.go). What they have of a run is its history, entry by
// entry; all but the open calls is written as it is read.
package export
