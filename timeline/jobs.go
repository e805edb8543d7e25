package timeline

import "time"

// AppKind is the Options.Kind of a run of a program's replicas, whose jobs are judged.
const AppKind = "app"

// The values of Job.OneAtATime that demand something.
const (
	OneRun       = "job" // one run of the job at a moment
	OneRunPerKey = "key" // one run with the same key at a moment
)

// A Job says what a program promises about one of its jobs, and what the harness can see of
// that job.
type Job struct {
	Name        string        `json:"name"`
	OnceEachKey bool          `json:"once_per_key,omitempty"`
	NoneLost    bool          `json:"none_lost,omitempty"`
	OneAtATime  string        `json:"one_at_a_time,omitempty"` // "", OneRun, OneRunPerKey
	AgainWithin time.Duration `json:"again_within,omitempty"`  // ns
	// Term is how long a replica leads at least, unless its process ends; 0 if unknown.
	Term time.Duration `json:"term,omitempty"` // ns

	Leads   bool `json:"leads,omitempty"`   // its runs are the observed leaderships of replicas
	Kept    bool `json:"kept,omitempty"`    // a final reading shows which effects still exist
	Effects bool `json:"effects,omitempty"` // its effects are observed
	Ends    bool `json:"ends,omitempty"`    // the ends of its runs are observed
	Spans   bool `json:"spans,omitempty"`   // its runs are observed by spans, after they have ended
}

// IsApp reports whether the run judges the replicas of a program.
func (o Options) IsApp() bool { return o.Kind == AppKind }

// JobSlack returns the time that may come on top of a promised time, in ns.
func (j Job) JobSlack() int64 { return int64(max(time.Second, j.AgainWithin/10)) }
