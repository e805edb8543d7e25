package history

import "math"

// A Type says what an entry of a history is.
type Type string

// The types of an entry. An operation is an Invoke followed by one completion (OK, Fail or
// Info) of the same process; events without an invocation (faults, crashes, reported losses,
// probes) are single Info entries.
const (
	Invoke Type = "invoke"
	OK     Type = "ok"   // certainly happened
	Fail   Type = "fail" // certainly did not happen and never will
	Info   Type = "info" // unknown: may have happened, may still happen; or an event
)

// An F names the function of an operation.
type F string

// The functions. Acquire, Try, Renew, Release, Upgrade, Downgrade, Ask, Observe, Read, Write,
// CAS, SetCount, CountDown and Await are invoked and completed; Lost, Crash, Probe, Stall,
// Fault, Heal, Job and End are events.
const (
	Acquire   F = "acquire"    // take the lock, waiting
	Try       F = "try"        // take the lock or be refused
	Renew     F = "renew"      // extend the lease
	Release   F = "release"    // end the lease
	Upgrade   F = "upgrade"    // make a reader's lease the writer's
	Downgrade F = "downgrade"  // make a writer's lease a reader's
	Ask       F = "ask"        // ask the lock how long the lease is still valid
	Observe   F = "observe"    // ask an election for its leader
	Lost      F = "lost"       // the lock reported to its holder that the lease is over
	Crash     F = "crash"      // the client process was killed; none of its operations starts after this
	Read      F = "read"       // of the protected store
	Write     F = "write"      // to the protected store
	CAS       F = "cas"        // conditional write to the protected store
	SetCount  F = "set-count"  // make a latch for so many parties
	CountDown F = "count-down" // of a party, at a latch
	Await     F = "await"      // wait until a latch is open

	Probe F = "probe" // the harness looked directly at a server
	Stall F = "stall" // the machine kept the harness from running, from UntilMin to Time
	Fault F = "fault" // a nemesis struck (process -1), its effect was seen
	Heal  F = "heal"  // the fault is over
	Job   F = "job"   // a replica was seen at a job (Op.Mode says at what)
	End   F = "end"   // the harness has ended the run, and says why in its value; the last entry
)

// The reasons why a run ended (Op.Value of an End). Other texts are further reasons for an
// early end in order.
const (
	Complete     = "complete"
	Interrupted  = "interrupted"
	AtLimit      = "history limit"  // the history reached its limit in bytes
	Failed       = "harness failed" // Op.Error says how
	DriverFailed = "driver failed"  // the user's driver program failed; Op.Error says how
)

// Who refused an operation (Op.Refused).
const (
	ByClient = "client" // a guard of the client: nothing was asked of the service
	ByServer = "server" // the lock service answered no
	ByStore  = "store"  // the fenced store saw a token older than its mark
	ByTime   = "time"   // the client's time for an acquire or a try was over; also for an unknown outcome
)

// The two kinds of store (Op.Store).
const (
	Plain  = "plain"
	Fenced = "fenced"
)

// What an acquire asks for (Op.Mode); "" is the whole lock.
const (
	Shared   = "shared"   // beside other readers
	Permits  = "permits"  // so many of a semaphore
	Party    = "party"    // entry into a barrier
	Campaign = "campaign" // the leadership, for a value (Candidate)
)

// Nemesis is the process number of fault and heal entries.
const Nemesis = -1

// Harness is the process number of probes, stalls and the end.
const Harness = -2

// Never is the UntilMin or UntilMax of a validity without end.
const Never = math.MaxInt64

// An Op is one entry of a history. Times are nanoseconds since the start of the run on
// one monotonic clock; zero values are left out of the file.
type Op struct {
	Time    int64  `json:"time"`
	Process int    `json:"process"`          // ≥ 0, new after every info and crash; Nemesis, Harness
	Client  int    `json:"client,omitempty"` // ≥ 1: whose successor numbers change; the struck client of a fault
	Type    Type   `json:"type"`
	F       F      `json:"f"`
	Lock    string `json:"lock,omitempty"`
	Lease   int64  `json:"lease,omitempty"` // ≥ 1, unique in the run; given to a grant, named by what is done under it
	Token   uint64 `json:"token,omitempty"` // fencing token of the lease; the term that was observed; 0: none

	// What an acquire asks for, on its invocation and its completion; the whole lock if all
	// are zero.
	Mode     string `json:"mode,omitempty"`     // Shared, Permits, Party, Campaign; of a Job: what was seen
	Permits  int    `json:"permits,omitempty"`  // ≥ 1, of mode Permits
	Capacity int    `json:"capacity,omitempty"` // of the semaphore, ≥ Permits
	Parties  int    `json:"parties,omitempty"`  // ≥ 1, of the barrier (mode Party) or the latch

	// The validity reported by an ok Ask: it ends at UntilMin at the earliest (counted from
	// before the question) and at UntilMax at the latest (counted from after the reply). In a
	// probe UntilMax is the expiry seen (Expiry); in an event UntilMin is when it began
	// (Began).
	UntilMin int64 `json:"until_min,omitempty"`
	UntilMax int64 `json:"until_max,omitempty"`

	Store   string `json:"store,omitempty"`  // Plain, Fenced
	Key     string `json:"key,omitempty"`    // of the store; the kind of a fault (Kind)
	Value   string `json:"value,omitempty"`  // read or written; see Owner, Seen and Why for other entries
	Guard   string `json:"guard,omitempty"`  // of a cas: the key that must hold Expect
	Expect  string `json:"expect,omitempty"` // of a cas; "" is a key that was never written
	Apply   int64  `json:"apply,omitempty"`  // ≥ 1: the place in which the store applied the operation
	Refused string `json:"refused,omitempty"`
	// ForRecord marks an Ask that the harness sends on its own account: the client neither
	// asked nor receives the answer.
	ForRecord bool   `json:"for_record,omitempty"`
	Node      string `json:"node,omitempty"`  // of a probe; whom a fault strikes (Nodes)
	Fault     int    `json:"fault,omitempty"` // ≥ 1: number of the fault in the schedule, pairs fault and heal
	Error     string `json:"error,omitempty"`
	Sum       string `json:"sum,omitempty"` // of an End: the checksum of the history

	// Traits are set in the entries of a fault, see FaultTraits; nil elsewhere. Entries may
	// share them, so they must not be changed.
	Traits *FaultTraits `json:"traits,omitempty"`

	// Holds lists every holder that a probe saw, for a lock that several clients can hold. It
	// is empty if nobody holds the lock, and nil if the probe reports a single owner. Entries
	// may share it, so it must not be changed.
	Holds []Hold `json:"holds,omitzero"`
}

// A History is a list of entries in the order of their times.
type History []Op
