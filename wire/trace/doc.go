// Package trace reads a tape message by message, and prints it as a packet trace.
//
// # Reading order
//
// row.go, rows.go (from events to rows), queue.go (rows wait until their fate is known),
// print.go.
package trace
