package checker

import (
	"locktorture/checker/incident"
	"locktorture/timeline"
)

// A Grade is the verdict on a run. The zero value is no verdict: unknown.
type Grade string

// The grades, see docs/verdicts.md.
const (
	Unknown Grade = "unknown"
	Safe    Grade = "safe"
	FencedG Grade = "fenced"
	Unsafe  Grade = "unsafe"
)

// The status of a property.
const (
	Kept          = "kept"
	Violated      = "violated"
	NotChecked    = "unknown"
	NotApplicable = "not applicable"
)

// A Result is the verdict on a run and its evidence; result.json holds it.
type Result struct {
	Grade    Grade   `json:"grade"`
	Sentence string  `json:"sentence"`           // the verdict in one sentence
	Headline string  `json:"headline,omitempty"` // a shorter summary, to be shown beside the grade
	Reason   string  `json:"reason,omitempty"`   // why it is unknown, or "cause not identified"
	Bound    string  `json:"bound,omitempty"`    // with a safe: "0 of 41 effective faults led to a violation, so, at 95 % confidence, fewer than 7.3 % lead to one"
	Harness  bool    `json:"harness_fault,omitempty"`
	BrokenBy Breaker `json:"broken_by,omitempty"` // who broke a promise of exclusion or fencing: lock, holder; "": nobody
	// Failed is true if the grade is unsafe, if the lock broke its promise, or if a liveness,
	// ownership or linearizability violation stands beside the grade.
	Failed     bool               `json:"failed"`
	Ended      string             `json:"ended,omitempty"` // why the run ended early
	Properties []Property         `json:"properties"`
	Counts     timeline.Counts    `json:"counts"`
	Faults     []FaultCoverage    `json:"faults,omitempty"`
	Incidents  incident.Incidents `json:"incidents"` // the anomalies, grouped by what they have in common
	Stores     []StoreResult      `json:"stores,omitempty"`
	Measures   Measures           `json:"measures"`
	Warnings   []string           `json:"warnings,omitempty"` // weak evidence, a cut-off history, …
}

// A Property is one promise and whether it was kept.
type Property struct {
	Name      string             `json:"name"` // exclusion, fencing, ownership, liveness, linearizability, workload
	Status    string             `json:"status"`
	Reason    string             `json:"reason,omitempty"` // why it is unknown or not applicable
	Total     int                `json:"total,omitempty"`  // anomalies found; Anomalies holds the first of each kind and some more
	Anomalies []incident.Anomaly `json:"anomalies,omitempty"`
}

// FaultCoverage is the number of times that one kind of fault was injected and took effect.
type FaultCoverage struct {
	Nemesis  string `json:"nemesis"`
	Injected int    `json:"injected"`
	Bit      int    `json:"bit"`
	Waiting  int    `json:"waiting,omitempty"` // of Injected: faults at waiting clients
	Rule     string `json:"rule"`              // condition under which the fault takes effect
}

// A StoreResult says whether a store is correct, and what was lost if it is not.
type StoreResult struct {
	Store   string `json:"store"` // plain, fenced
	Reads   int    `json:"reads"`
	Writes  int    `json:"writes"`
	Refused int    `json:"refused"` // rejected by the store, because of a token or a condition
	// LockedOut counts the operations of Refused that were made under the newest grant. They
	// show that the tokens are unsound.
	LockedOut int     `json:"locked_out,omitempty"`
	Lost      int     `json:"lost"` // number of lost updates or units
	Of        int     `json:"of"`
	LossUnit  string  `json:"loss_unit,omitempty"` // "updates", "units"
	Loss      float64 `json:"loss"`                // Lost/Of
	Note      string  `json:"note,omitempty"`      // what the workload's invariant measured and did not judge
	Correct   bool    `json:"correct"`

	Sections *SectionVerdict `json:"sections,omitempty"` // nil: the workload has no specification
}

// Measures are figures that do not affect the verdict. Durations are nanoseconds.
type Measures struct {
	Acquire     Quantiles `json:"acquire"`
	Hold        Quantiles `json:"hold"`
	Release     Quantiles `json:"release"`
	Recovery    Quantiles `json:"recovery"`     // time from a fault to the next grant
	NoticeLag   Quantiles `json:"notice_lag"`   // from another client's grant to the former holder's notice
	LongestStop int64     `json:"longest_stop"` // longest pause of a client
	GrantRate   float64   `json:"grant_rate"`   // grants a second, from the first call of a client to the last entry before the end
	Jain        float64   `json:"jain"`         // Jain's index of grants over clients, 1 is even
	OutOfOrder  int       `json:"out_of_order"` // grants that overtook a longer waiter
	Bypasses    int       `json:"bypasses"`     // grants to readers that overtook a writer
}

// Quantiles of a sample of n by the nearest rank, the ⌈n·p/100⌉th least, in nanoseconds.
type Quantiles struct {
	N   int   `json:"n"`
	P50 int64 `json:"p50"`
	P90 int64 `json:"p90"`
	P99 int64 `json:"p99"`
	Max int64 `json:"max"`
}
