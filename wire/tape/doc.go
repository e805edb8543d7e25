// Package tape records the bytes that pass the links of a run into a file of bounded size, and
// reads it: docs/wire.md describes the format.
//
// # Reading order
//
// format.go, tape.go (what others see of a recording), strip.go (one link), slots.go (what is
// thrown away first); then reader.go and cursor.go.
package tape
