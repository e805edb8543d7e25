// Package session carries out the commands explore, shrink, replay and confirm, and prints
// their results.
//
// # Reading order
//
// simulated.go (the flags of a run in virtual time), replay.go, spec.go and explore.go (a
// search), found.go (from a finding to its run directory), shrink.go, progress.go; confirm.go,
// rounds.go and round.go (a schedule on real servers, round by round), times.go (the times of
// these rounds), rate.go (the result of all rounds); guests.go (the programs of a run),
// ledger.go (the line of a search).
package session
