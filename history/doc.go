// Package history holds what happened in a run: one Op for every invocation,
// completion and event, in the order of their times. It knows how to stream
// operations to a file and how to read them back, and nothing about what they
// mean: that is the business of package checker.
//
// # Reading order
//
// Read first op.go (one line of the file) and named.go (what its fields mean in each kind of
// entry); then recorder.go and validate.go, which write, and reader.go and source.go, which
// read. encode.go and parse.go write and read the same format by hand, for speed.
// faulttraits.go holds the traits that a fault declares in the file, and formerfaults.go the
// traits for files that were recorded before faults declared theirs.
package history
