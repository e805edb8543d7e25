package checker

import "locktorture/history"

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
