package timeline

import "time"

// AppKind is what Options.Kind calls the replicas of a program, whose jobs are judged.
const AppKind = "app"

// What Job.OneAtATime demands.
const (
	OneRun       = "job" // one run of the job at a moment
	OneRunPerKey = "key" // one run with the same key at a moment
)

// A Job is what a program promises of one of its jobs, and what can be seen of it.
type Job struct {
	Name        string        `json:"name"`
	OnceEachKey bool          `json:"once_per_key,omitempty"`
	NoneLost    bool          `json:"none_lost,omitempty"`
	OneAtATime  string        `json:"one_at_a_time,omitempty"` // "", OneRun, OneRunPerKey
	AgainWithin time.Duration `json:"again_within,omitempty"`  // ns
	Term        time.Duration `json:"term,omitempty"`          // ns for which a replica leads at least, unless it ends; 0: unknown

	Leads   bool `json:"leads,omitempty"`   // its runs are times in which a replica was seen to lead
	Kept    bool `json:"kept,omitempty"`    // in the end it is seen which of its effects are still there
	Effects bool `json:"effects,omitempty"` // its effects are seen
	Ends    bool `json:"ends,omitempty"`    // the ends of its runs are seen
	Spans   bool `json:"spans,omitempty"`   // its runs are seen by spans, once they are over
}

// IsApp reports whether the replicas of a program are judged.
func (o Options) IsApp() bool { return o.Kind == AppKind }

// JobSlack returns the time that may come on top of a promised time, in ns.
func (j Job) JobSlack() int64 { return int64(max(time.Second, j.AgainWithin/10)) }
