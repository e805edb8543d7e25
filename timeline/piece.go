package timeline

import "locktorture/history"

// A Piece is the history of a lock between two moments at which nobody holds it and nothing but
// waits is under way. No later entry can change what happened in it. Followers may keep what it
// points to, but not the piece.
type Piece struct {
	*Lock
	Calls  []*Call // acquires and tries that have ended since the last piece, by call
	Begun  []*Call // those that were made since the last piece, by call, without re-entries
	Before int64   // every call that was made before this moment is in this piece or an earlier one
	Last   bool    // the history ends with this piece

	Tenures []*Tenure // those that were over before that moment, and in the last piece the one that goes on
	Looks   []Look    // at servers, before that moment, as far as they show one lease

	Listings []*history.Op // looks at all who hold the lock, before that moment
}
