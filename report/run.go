package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"locktorture/checker"
	"locktorture/report/words"
)

// Simulated is the Provisioner of a run in virtual time.
const Simulated = "simulated"

// A Run is what was run and how: everything that a reader needs to trust a
// verdict and to get it again. It is the content of run.json.
type Run struct {
	Name    string    `json:"name,omitempty"` // name of the run directory
	Start   time.Time `json:"start"`
	Version string    `json:"version,omitempty"` // version of torture
	Commit  string    `json:"commit,omitempty"`  // git commit from which torture was built

	// Scenario names the script that was played, if it was one, and Title says it in a line.
	// Happens are its steps, Lesson is what to do about them, and Source is who described it.
	Scenario string `json:"scenario,omitempty"`
	Title    string `json:"title,omitempty"`
	Happens  string `json:"happens,omitempty"`
	Lesson   string `json:"lesson,omitempty"`
	Source   string `json:"source,omitempty"`
	// Facts and Measured are what the script itself looked for and found, beside what its
	// history shows. They are known when it is over.
	Facts    []string  `json:"facts,omitempty"`
	Measured []Measure `json:"measured,omitempty"`

	Backend  string        `json:"backend"`
	Workload string        `json:"workload"`
	Nemeses  []string      `json:"nemeses"`
	LeftOut  []string      `json:"left_out,omitempty"` // faults that "all" cannot include, each with its reason
	Seed     uint64        `json:"seed"`
	Duration time.Duration `json:"duration"` // ns; requested duration of the phase with faults
	Clients  int           `json:"clients"`
	TTL      time.Duration `json:"ttl"` // ns
	Fencing  string        `json:"fencing"`
	Careful  bool          `json:"careful"`
	// InProcess: the clients were not isolated in processes of their own.
	InProcess bool   `json:"in_process,omitempty"`
	Expect    string `json:"expect,omitempty"` // GRADE[+anomaly…]
	Flags     []Flag `json:"flags,omitempty"`

	Topology       string    `json:"topology,omitempty"`
	Nodes          []string  `json:"nodes,omitempty"`
	Provisioner    string    `json:"provisioner,omitempty"`
	ProvisionerWhy string    `json:"provisioner_why,omitempty"`
	LeaseClock     string    `json:"lease_clock,omitempty"` // the clock on which the leases run
	Wire           string    `json:"wire,omitempty"`        // whether the traffic was recorded: one of the Wire constants; "": there was none to record
	Versions       []Version `json:"versions,omitempty"`    // of the servers and client libraries

	Reproduce  string `json:"reproduce,omitempty"`   // command that repeats the run
	CheckAgain string `json:"check_again,omitempty"` // command that judges its history again

	// Machine is what it ran on; nil: in virtual time, or not known.
	Machine *Machine `json:"machine,omitempty"`
	// Kubernetes says where in a cluster it was; nil: it was in none.
	Kubernetes *Pod `json:"kubernetes,omitempty"`

	Options checker.Options `json:"options"` // what the run declared; the history is judged by it

	// Recorded says that it was read from a run directory, which may be a stranger's: what it
	// has for commands is shown, and not as something to copy.
	Recorded bool `json:"-"`

	// Exit is the exit code that the verdict leads to. It is no part of
	// run.json, which is written before there is a verdict.
	Exit int `json:"-"`
}

// A Machine has the load of the machine before and after a run.
type Machine struct {
	Cores  int     `json:"cores"`
	Before float64 `json:"load_before"`          // tasks that wanted a processor, on average of the last minute before the run
	After  float64 `json:"load_after,omitempty"` // the same in the last minute of the run, with its own; 0: not over
}

// Says is the machine in a line.
func (m *Machine) Says() string {
	if m == nil {
		return ""
	}
	text := words.Plural(m.Cores, "processor", "processors") + fmt.Sprintf(", load %.1f before the run", m.Before)
	if m.After > 0 {
		text += fmt.Sprintf(" and %.1f at its end", m.After)
	}
	return text
}

// A Pod is the place of a run in a Kubernetes cluster.
type Pod struct {
	Node  string `json:"node"`
	Name  string `json:"pod"`
	Image string `json:"image"` // with its digest
}

// A Measure is a figure that a script has measured.
type Measure struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Noticed returns the facts and the measures of a script, each in a line.
func (r Run) Noticed() []string {
	list := slices.Clone(r.Facts)
	for _, m := range r.Measured {
		list = append(list, m.Name+": "+m.Value)
	}
	return list
}

// What became of the traffic.
const (
	WireRecorded = "recorded"
	WireOff      = "off"
	WireTLS      = "tls" // the servers speak TLS: there is nothing to decode
)

// A Flag is one flag of the command line with its effective value.
type Flag struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// A Version is the version of a server or library that took part in a run.
type Version struct {
	Name    string `json:"name"` // "redis-server", "go-redis"
	Version string `json:"version"`
}

// Headline names a run in one line.
func Headline(run Run) string {
	if run.Scenario != "" { // a script has neither a seed nor a duration
		return strings.Join([]string{"scenario " + words.Word(run.Scenario), words.Word(run.Backend), words.Sentence(run.Title)}, " · ")
	}
	return strings.Join([]string{
		words.Word(run.Backend), words.Word(run.Workload), words.List(run.Nemeses, ",", "no faults"),
		words.Span(int64(run.Duration)), fmt.Sprintf("seed %d", run.Seed),
	}, " · ")
}
