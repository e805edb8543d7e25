// Package anchor strikes the faults of a schedule of points in a run on real servers: a guard
// on the links of the clients names each message as it comes, the gates of the harness are the
// other points.
//
// # Reading order
//
// director.go (the points of a run), strike.go (what happens at one), guard.go (messages),
// nodes.go and links.go (the faults), fits.go (what cannot be done).
package anchor
