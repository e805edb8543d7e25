package scorecard

import (
	"slices"
	"time"

	"locktorture/checker"
	"locktorture/history"
	"locktorture/internal/wire"
	"locktorture/report"
	"locktorture/report/verdict"
	"locktorture/report/words"
)

// The states of a try of a matrix.
const (
	Tried         = "done"           // it has a verdict
	NotPossible   = "not applicable" // the fault cannot be injected there
	NotServed     = "not served"     // nothing here can run the servers
	Refused       = "refused"        // its flags do not go together: no verdict
	HarnessFailed = "failed"         // the harness itself failed: no verdict
	DriverFailed  = "driver failed"  // a program of the user's that holds the lock failed: no verdict
	NotRun        = "not run"        // the budget did not reach it
)

// A Try is one run of a matrix: one backend, one set of faults, one workload
// and one seed. It is a line of cells.jsonl.
type Try struct {
	Backend  string `json:"backend"`
	Nemesis  string `json:"nemesis"` // a fault, several joined by "+", or "none"
	Workload string `json:"workload"`
	Seed     uint64 `json:"seed"`
	// Kills: one of the faults kills clients.
	Kills bool `json:"kills,omitempty"`

	Args   []string      `json:"args"` // arguments of the run, without its directory
	State  string        `json:"state"`
	Reason string        `json:"reason,omitempty"` // reason for every state but done
	Start  time.Time     `json:"start"`
	Took   time.Duration `json:"took"` // ns; duration of the whole run with its servers
	Exit   int           `json:"exit"`
	// Cores is the machine's number of processors, and Load its one-minute load average at the
	// end of the run. 0: not known.
	Cores int     `json:"cores,omitempty"`
	Load  float64 `json:"load,omitempty"`
	// Pods is how many pods it took, where it was carried out in pods.
	Pods int `json:"pods,omitempty"`

	Dir       string `json:"dir,omitempty"` // run directory, relative to the matrix's
	Reproduce string `json:"reproduce,omitempty"`
	// Result is the verdict without the operations of its witnesses, with the first anomaly of
	// each kind; the run's own result.json has all of it.
	Result *checker.Result `json:"result,omitempty"`
}

// WithoutVerdict returns the states of a cell that came to none, in the order in which they are
// told.
func WithoutVerdict() []string {
	return []string{NotPossible, NotServed, NotRun, Refused, DriverFailed, HarnessFailed}
}

// Broken reports whether a state is a failure of what ran the lock: there may be a verdict,
// and it is of no worth.
func Broken(state string) bool { return state == HarnessFailed || state == DriverFailed }

// NewTry keeps of a run what a score card needs.
func NewTry(t Try, o report.Object) Try {
	r := o.Result
	r.Properties = nil
	for _, p := range o.Result.Properties {
		var first []checker.Anomaly
		for _, k := range verdict.Kinds(o.Result, p) {
			a := k.First
			a.Ops, a.Faults = nil, nil
			a.Sentence = words.Sentence(a.Sentence)
			first = append(first, a)
		}
		p.Anomalies = first
		r.Properties = append(r.Properties, p)
	}
	t.State, t.Exit, t.Result, t.Reproduce = Tried, o.Exit, &r, o.Run.Reproduce
	return t
}

// kills reports whether clients were killed. Tries of before do not say so of themselves.
func (t Try) kills() bool {
	return t.Kills || slices.ContainsFunc(wire.FaultKinds(t.Nemesis), func(kind string) bool {
		return history.FormerFault(kind).Effect == history.Killed
	})
}

// Grade returns the verdict of a try; unknown if it has none.
func (t Try) Grade() checker.Grade {
	if t.Result == nil {
		return checker.Unknown
	}
	return verdict.Grade(*t.Result)
}

// FirstAnomaly returns the time, in ns since the start of the run, at which the first anomaly
// of any kind was complete; ok is false if there was none.
func (t Try) FirstAnomaly() (at int64, ok bool) {
	if t.Result == nil {
		return 0, false
	}
	for _, p := range t.Result.Properties {
		for _, a := range p.Anomalies {
			if !ok || a.Time < at {
				at, ok = a.Time, true
			}
		}
	}
	return at, ok
}

// witness returns the sentence of the first anomaly that counts: of exclusion before all
// others, because it is what the grade rests on.
func (t Try) witness() (kind, text string) {
	if t.Result == nil {
		return "", t.Reason
	}
	for _, p := range t.Result.Properties {
		if len(p.Anomalies) > 0 {
			return p.Anomalies[0].Kind, p.Anomalies[0].Sentence
		}
	}
	return string(t.Grade()), verdict.Sentence(*t.Result)
}
