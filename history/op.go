package history

import "math"

// A Type distinguishes the invocation of an operation from its possible outcomes.
type Type string

// The types of an entry. An operation is an Invoke followed by one completion (OK, Fail or
// Info) of the same process; events without an invocation (faults, crashes, reported losses,
// probes) are single Info entries.
const (
	Invoke Type = "invoke"
	OK     Type = "ok"   // it happened
	Fail   Type = "fail" // it did not happen and never will
	Info   Type = "info" // its outcome is unknown: it may have happened or may still happen; or an event
)

// An F names an operation or an event.
type F string

// The functions. Acquire, Try, Renew, Release, Upgrade, Downgrade, Ask, Observe, Read, Write,
// CAS, SetCount, CountDown and Await are invoked and completed; Lost, Crash, Probe, Stall,
// Fault, Heal, Job and End are events.
const (
	Acquire   F = "acquire"    // requests the lock and waits for it
	Try       F = "try"        // requests the lock without waiting
	Renew     F = "renew"      // extends the lease
	Release   F = "release"    // ends the lease
	Upgrade   F = "upgrade"    // turns a reader's lease into a writer's
	Downgrade F = "downgrade"  // turns a writer's lease into a reader's
	Ask       F = "ask"        // asks the lock for the remaining validity of the lease
	Observe   F = "observe"    // asks an election for its leader
	Lost      F = "lost"       // the lock reported to its holder that the lease has ended
	Crash     F = "crash"      // the client process was killed; none of its operations starts later
	Read      F = "read"       // reads a key of the protected store
	Write     F = "write"      // writes a key of the protected store
	CAS       F = "cas"        // writes a key of the protected store if the key Guard holds Expect
	SetCount  F = "set-count"  // creates a latch for a number of parties
	CountDown F = "count-down" // counts a latch down for one party
	Await     F = "await"      // waits until a latch is open

	Probe F = "probe" // the harness read the state of a server directly
	Stall F = "stall" // the machine kept the harness from running, from UntilMin to Time
	Fault F = "fault" // a nemesis struck (process -1) and its effect was observed
	Heal  F = "heal"  // the fault has ended
	Job   F = "job"   // a replica was observed at the step Op.Mode of a job
	End   F = "end"   // the harness has ended the run, for the reason in its value; the last entry
)

// The reasons why a run ended (Op.Value of an End). Any other text is the reason of a
// run that ended early without a failure.
const (
	Complete     = "complete"
	Interrupted  = "interrupted"
	AtLimit      = "history limit"  // the history reached its limit in bytes
	Failed       = "harness failed" // the error is in Op.Error
	DriverFailed = "driver failed"  // the user's driver program failed; the error is in Op.Error
)

// The parties that can refuse an operation (Op.Refused).
const (
	ByClient = "client" // a guard of the client, which sent no request to the service
	ByServer = "server" // the lock service
	ByStore  = "store"  // the fenced store, which had seen a higher token
	ByTime   = "time"   // the client's time for an acquire or a try was over; the outcome may be unknown
)

// The two kinds of store (Op.Store).
const (
	Plain  = "plain"
	Fenced = "fenced"
)

// The modes of an acquire (Op.Mode). "" requests the whole lock.
const (
	Shared   = "shared"   // together with other readers
	Permits  = "permits"  // a number of permits of a semaphore
	Party    = "party"    // entry into a barrier
	Campaign = "campaign" // the leadership, for a value (Candidate)
)

// Nemesis is the process number of fault and heal entries.
const Nemesis = -1

// Harness is the process number of probes, stalls and the end.
const Harness = -2

// Never is the UntilMin or UntilMax of a validity without end.
const Never = math.MaxInt64

// An Op is one entry of a history. Times are nanoseconds since the start of the run on one
// monotonic clock. Fields with a zero value are left out of the file.
type Op struct {
	Time int64 `json:"time"`
	// Process is ≥ 0 for the processes of clients, and Nemesis or Harness otherwise. A client gets
	// a new number after an operation with an unknown outcome and after a crash.
	Process int `json:"process"`
	// Client is the number of the client, ≥ 1, which stays the same when its process number
	// changes. In the entries of a fault it is the struck client.
	Client int    `json:"client,omitempty"`
	Type   Type   `json:"type"`
	F      F      `json:"f"`
	Lock   string `json:"lock,omitempty"`
	// Lease is the number of the lease, ≥ 1 and unique in the run. A grant introduces it, and every
	// operation under the lease repeats it.
	Lease int64 `json:"lease,omitempty"`
	// Token is the fencing token of the lease, or the term that an Observe returned. 0 means none.
	Token uint64 `json:"token,omitempty"`

	// Mode is Shared, Permits, Party, Campaign or "", in the invocation of an acquire and in its
	// completion. "" and zeros below request the whole lock. In a Job it is the observed step.
	Mode string `json:"mode,omitempty"`
	// Permits is the number of permits requested, ≥ 1 in mode Permits.
	Permits int `json:"permits,omitempty"`
	// Capacity is the number of permits that the semaphore has, ≥ Permits.
	Capacity int `json:"capacity,omitempty"`
	// Parties is the number of parties of the barrier (mode Party) or of the latch, ≥ 1.
	Parties int `json:"parties,omitempty"`

	// UntilMin and UntilMax bound the end of the validity that an ok Ask reported (see Validity).
	// In a probe, UntilMax is the expiry that the server shows (see Expiry). In an event, UntilMin
	// is its start (see Began).
	UntilMin int64 `json:"until_min,omitempty"`
	UntilMax int64 `json:"until_max,omitempty"`

	// Store is Plain or Fenced, in the operations of a store.
	Store string `json:"store,omitempty"`
	// Key is a key of the store, or the kind of a fault (see Kind).
	Key string `json:"key,omitempty"`
	// Value is the value read or written. Owner, Seen, Why and other methods read it in other
	// entries.
	Value string `json:"value,omitempty"`
	// Guard and Expect are the condition of a CAS: the key Guard must hold Expect. An Expect of ""
	// requires that the key was never written.
	Guard  string `json:"guard,omitempty"`
	Expect string `json:"expect,omitempty"`
	// Apply is the position, ≥ 1, in the order in which the store applied its operations. 0 means
	// that the store did not report it.
	Apply int64 `json:"apply,omitempty"`
	// Refused names the party that refused the operation, or is "".
	Refused string `json:"refused,omitempty"`
	// ForRecord marks an Ask that the harness sends for the history. The client neither sent it nor
	// receives the answer.
	ForRecord bool `json:"for_record,omitempty"`
	// Node names the server of a probe, or the victims of a fault (see Nodes).
	Node string `json:"node,omitempty"`
	// Fault is the number of the fault in the schedule, ≥ 1. A fault and its heal have the same
	// number.
	Fault int    `json:"fault,omitempty"`
	Error string `json:"error,omitempty"`
	// Sum is the checksum of the history, in its End.
	Sum string `json:"sum,omitempty"`

	// Traits are the traits of a fault, in its entries; nil elsewhere. Entries may share them, so
	// they must not be changed.
	Traits *FaultTraits `json:"traits,omitempty"`

	// Holds lists every holder that a probe saw, for a lock that several clients can hold. It is
	// empty if the lock is free, and nil if the probe reports a single owner. Entries may share it,
	// so it must not be changed.
	Holds []Hold `json:"holds,omitzero"`
}

// A History is a list of entries in the order of their times.
type History []Op
