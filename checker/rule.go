package checker

import "locktorture/history"

// A rule looks for anomalies in the history of one lock. It is asked once for each piece of
// that history, in order, and keeps in its own fields what a later piece has to be compared
// with: the fold forgets each piece.
type rule interface {
	check(p *piece)
}

// A follower is a rule that has to see the calls for its lock one by one, as the fold reads
// them. Re-entries are called and ended, but never granted: the lock was granted before.
type follower interface {
	called(l *lockView, w *wait)
	granted(l *lockView, w *wait) // its lease is not among those of the lock yet
	ended(l *lockView, w *wait)
}

// A base holds what every rule works with.
type base struct {
	run   *survey   // what the first reading found of the whole run
	found *findings // of the lock
}

// A piece is the history of a lock between two moments at which nobody holds it and nothing
// but waits is under way. No later entry can change what happened in it.
type piece struct {
	*lockView
	calls  []*wait // the acquires and tries that have ended since the last piece
	begun  []*wait // those that were made since, by call, but for re-entries
	before int64   // every call that was made before this moment is in this piece or an earlier one
	last   bool    // the history ends with it

	tenures []*tenure   // those that were over before that moment, and at the end the last one
	looks   []leaseLook // at servers, before that moment

	listings []*history.Op // looks at all who hold the lock, before that moment
}
