package state

import "locktorture/history"

// A Kind says what is known of a subject, and so of which type its value is.
type Kind int

// The kinds, each with the type of its values.
const (
	Does   Kind = iota // Doing, of a client
	Holds              // Lease, of a client; of number 0: none
	Has                // Look, of a server
	Stores             // Cell, of a store
	Marks              // Mark, of a store
)

// A Subject is something that changes in a run.
type Subject struct {
	Kind  Kind
	Name  string // of the client, the server or the store
	Of    string // Has: the lock; Stores: the key, "" for all that have no subject of their own
	Place int    // Holds: from 0, which of the leases that a client has side by side
}

// Doing is what a client is about.
type Doing struct {
	F     history.F // what it called and was not answered; "": nothing; Crash: it is dead
	Lock  string
	Store string
	Key   string
	Since int64 // ns
}

// A Phase is how a lease looks to its holder.
type Phase int

// The phases.
const (
	Held      Phase = iota // granted
	Over                   // the lease said, when it was asked, that it is over
	Lost                   // the lock told that it is lost
	Releasing              // its release was called, and not answered
)

// A Lease is what a client knows of a lease of its own. What the harness asked for the record
// is no part of it.
type Lease struct {
	Number  int64
	Lock    string
	Mode    string
	Permits int
	Token   uint64
	Granted int64 // ns
	Phase   Phase
	Since   int64 // ns, of the phase
	// The validity as last told: Least counts from before the question, Most from after the
	// answer. 0: none was told; history.Never: it has no end.
	Least, Most int64
}

// A Look is what a probe saw of a lock on one server. A server is looked at more often than
// that: a look that shows the same owner as the one before is not recorded.
type Look struct {
	Asked, Seen int64 // ns: the question, 0 if the history does not say, and the answer
	Holders     []Holder
}

// A Holder is one who held a lock in a look.
type Holder struct {
	Owner   string // the value that the server keeps
	Client  string // to whom the lock was granted under this value, and as which lease; "" and 0: to nobody so far
	Lease   int64
	Mode    string
	Permits int
	Until   int64 // ns, the expiry that the server shows; history.Never: none
}

// A Cell is the last value that was written to a key, as far as writers were told.
type Cell struct {
	Key, Value string
	By         string
	Lease      int64
	Token      uint64
	Apply      int64 // the place at which the store applied it; 0: unknown
	At         int64 // ns, of the answer
}

// A Mark is the highest token that a fenced store has accepted.
type Mark struct {
	Token uint64
	By    string
	Lease int64
	At    int64 // ns
}
