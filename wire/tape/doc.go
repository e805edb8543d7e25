// Package tape records the data on the links of a run in a file of bounded size, and reads it.
// docs/wire.md describes the format.
//
// # Reading order
//
// format.go, tape.go (the interface of a recording), strip.go (one link), slots.go (the order in
// which data is discarded); then reader.go and cursor.go.
package tape
