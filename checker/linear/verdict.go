package linear

import "time"

// An Outcome is what a check found. The zero value is no verdict: Unknown.
type Outcome uint8

// The outcomes of a check.
const (
	Unknown Outcome = iota
	Valid
	Invalid
)

func (o Outcome) String() string {
	switch o {
	case Valid:
		return "valid"
	case Invalid:
		return "invalid"
	}
	return "unknown"
}

// MarshalText writes the outcome as a word.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// A Verdict is the outcome of a check and its evidence.
type Verdict struct {
	Outcome     Outcome       `json:"outcome"`
	Model       string        `json:"model"`
	Algorithm   string        `json:"algorithm"`             // which procedure decided: "sections", "chain", "search", "porcupine" …
	Reason      string        `json:"reason,omitempty"`      // why unknown, or why a faster check gave up
	Witness     []int         `json:"witness,omitempty"`     // if invalid: indices of the operations that prove it
	Explanation string        `json:"explanation,omitempty"` // if invalid: what is wrong, in one sentence
	Operations  int           `json:"operations"`
	Elapsed     time.Duration `json:"elapsed"`          // ns
	States      int64         `json:"states,omitempty"` // configurations that a search visited
}

// Options holds what a check is told besides the history. The zero value is a check with weak
// tries and the default bounds.
type Options struct {
	// Engine is "" for the fast procedure of the model and the search as its
	// fallback, "search" for the search alone, "porcupine" for porcupine.
	Engine string
	// Timeout bounds a search; 0 means a minute. Fast procedures need no bound.
	Timeout time.Duration
	// Memory bounds a search, in bytes; 0 means 1 GiB.
	Memory int64
	// StrictTries makes a refused acquire a claim: somebody held the lock at some moment of
	// it. That is right only if the service itself answered.
	StrictTries bool
	// Seed seeds the hashes of a search. A verdict of invalid is searched twice, with two
	// seeds, before it is given.
	Seed uint64

	TTL      time.Duration // of the timed models: what the service guarantees after a grant or renewal
	Capacity int           // of semaphore and timed-semaphore; 0 means 1
	Parties  int           // of latch: count-downs that open it; of barrier: who has to come; 0 means 1
	Stock    int64         // of inventory: the units at the start
	Initial  string        // of register, statemachine and fenced-store: the value at the start; the sum, of counter and faa, is 0
}

const (
	defaultTimeout = time.Minute
	defaultMemory  = 1 << 30
)

func (o Options) withDefaults() Options {
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	if o.Memory <= 0 {
		o.Memory = defaultMemory
	}
	if o.Capacity <= 0 {
		o.Capacity = 1
	}
	if o.Parties <= 0 {
		o.Parties = 1
	}
	return o
}

// valid, invalid and unknown build verdicts; Check fills in the rest.
func valid(algorithm string) Verdict { return Verdict{Outcome: Valid, Algorithm: algorithm} }

func invalid(algorithm, explanation string, witness ...int) Verdict {
	return Verdict{Outcome: Invalid, Algorithm: algorithm, Explanation: explanation, Witness: witness}
}

func unknown(algorithm, reason string) Verdict {
	return Verdict{Outcome: Unknown, Algorithm: algorithm, Reason: reason}
}
