// Package anchor executes the faults of a schedule of points in a run on real servers. A guard on
// the clients' links names each message as it arrives; the gates of the harness are the other
// points.
//
// # Reading order
//
// director.go (the points of a run), strike.go (the execution of a decision), guard.go (messages),
// nodes.go and links.go (the faults), fits.go (impossible decisions).
package anchor
