// Package sweep tries one lock with several times to live (TTL) and puts beside each other
// what a short one costs and what a long one does: holders that overstay, renewals, and the
// time for which a dead holder keeps others out.
//
// Every TTL suffers the same stops and the same deaths of holders, drawn once from the seed,
// in a trial of its own. More sections are struck than in anybody's production: a chance is
// measured, and scaled to how often stops and deaths come (Rates).
//
// The command is in spec.go (its flags), command.go (what it does and prints) and lines.go (what a
// ledger gets).
package sweep
