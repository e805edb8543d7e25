// Package session carries out what the commands explore, shrink, replay and confirm are asked for,
// and prints what it comes to.
//
// # Reading order
//
// simulated.go (the flags of a run in virtual time), replay.go, spec.go and explore.go (a search),
// found.go (what becomes of a finding), shrink.go, progress.go; confirm.go, rounds.go and round.go (a
// schedule on real servers, round by round), rate.go (what the rounds came to), guests.go.
package session
