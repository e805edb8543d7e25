package timeline

import "locktorture/history"

// A Piece is the history of a lock between two moments at which nobody holds it and nothing but
// waits is under way. No later entry can change what happened in it. Followers may keep what it
// points to, but not the piece.
type Piece struct {
	*Lock
	Calls  []*Call // acquires and tries that have ended since the last piece, by call
	Begun  []*Call // calls that were made since the last piece, by call, without re-entries
	Before int64   // every call that was made before this moment is in this piece or an earlier one
	Last   bool    // the history ends with this piece

	Tenures []*Tenure // tenures that were over before Before; in the last piece also the one that goes on
	Looks   []Look    // looks at servers before Before that show one lease

	Listings []*history.Op // looks before Before that list all holders of the lock
}
