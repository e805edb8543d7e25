package timeline

import "locktorture/history"

// A piece is the history of a lock between two moments at which nobody holds it and nothing
// but waits is under way. No later entry can change what happened in it.
type Piece struct {
	*Lock
	Calls  []*Call // the acquires and tries that have ended since the last piece
	Begun  []*Call // those that were made since, by call, but for re-entries
	Before int64   // every call that was made before this moment is in this piece or an earlier one
	Last   bool    // the history ends with it

	Tenures []*Tenure // those that were over before that moment, and at the end the last one
	Looks   []Look    // at servers, before that moment

	Listings []*history.Op // looks at all who hold the lock, before that moment
}
