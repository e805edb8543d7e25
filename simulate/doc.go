// Package simulate plays a run in virtual time, in one order: the same Order gives the same
// history, bit by bit.
//
// Clients and harness are the programs that they are in a real run, compiled as guests (package
// machine, command guest): there is one implementation of what a client does in a section. The
// servers of Redis are real ones that are stepped (package server). Those of etcd are guests, too,
// which listen and have a folder for their files (member.go). What is simulated is between them:
// time, randomness, the network, the pipes between the harness and its drivers. Files are not: an
// fsync takes no time, and a restart loses nothing.
//
// What goes wrong is a schedule (package schedule): faults, each at a message or at a gate of
// a client. The host does what can be done outside; a pause and a kill are also done to the
// client of the harness, by the code of a real run. docs/explore.md.
//
// Computation takes no time. A message takes 60 to 180 µs, drawn from the seed and from what
// it is, not from when it was sent: a message more or less changes no other draw.
//
// # Reading order
//
// config.go, world.go (Run, top-down) and events.go; process.go (a program inside) and pipe.go
// (a driver); member.go, far.go and visit.go (servers that are guests); conn.go, points.go and calls.go
// (the network); strike.go, network.go and node.go (faults),
// entry.go (how the history hears of them); act.go joins it to package trial, again.go
// compares two plays.
package simulate
