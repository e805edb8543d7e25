// Package schedule represents the faults of a simulated run as text, one fault a line. Each
// fault strikes at a point that has a name:
//
//	# the clocks of a majority jump while c1 works
//	at c1 gate read #1: clock nodes=3,4,5 by=497ms for=9ms
//	at c2 reply SET=OK redis-1 #1: hold for=458ms
//
// Blank lines and lines that start with # are ignored. A point is named by its event and not by its
// time, so a schedule means the same in a run with other timing, and on real servers.
// docs/explore.md has the grammar and the kinds.
package schedule
