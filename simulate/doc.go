// Package simulate plays a run in virtual time, in one order: the same Order gives the same
// history, bit for bit.
//
// The clients and the harness run the same programs as in a real run, compiled as guests
// (package machine, command guest). So the work of a client in a section has one
// implementation. The servers of Redis are real servers that are stepped (package server). The
// servers of etcd and NATS are guests, too, with listeners and a folder for their files (member.go).
// The package simulates everything between these programs: time, randomness, the network, and
// the pipes between the harness and its drivers. It does not simulate files. Unless a fault
// strikes, an fsync takes no time, and a restart loses nothing.
//
// The faults of a run are a schedule (package schedule). Each fault strikes at a message or at
// a gate of a client. The host carries out the fault itself. The harness also carries out a
// pause and a kill on its client, with the code of a real run. docs/explore.md describes the
// faults.
//
// Computation takes no time. A message takes 60 to 180 µs. This latency is drawn from the
// seed, the connection and the number of the message there, but not from the time. So one
// message more on a connection changes no draw on another.
//
// # Reading order
//
// config.go, world.go (Run, top-down) and clock.go; process.go (a program inside) and pipe.go
// (a driver); servers.go, guests.go, member.go, far.go and visit.go (servers that are guests); conn.go,
// link.go and points.go (the network); plan.go, strike.go, signal.go, leader.go, network.go,
// node.go, disk.go and safe.go (faults); entry.go (the messages that report faults to the history);
// script.go (scenarios). act.go plays a run for package trial, and again.go compares two plays.
package simulate
