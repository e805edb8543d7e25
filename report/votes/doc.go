// Package votes tells from the recorded traffic how the servers answered the requests that a
// grant came of, how many of them said yes, and these votes when somebody
// else was granted the same lock.
//
// # Reading order
//
// traffic.go (what is asked of a recording), ballot.go, answer.go, rules.go (what is a yes),
// left.go, tries.go (who asked several times), renewals.go (who renewed another's lease),
// witness.go (all of it for an anomaly, in sentences), faults.go.
package votes
