package ledger

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"locktorture/checker"
)

// A Line says what one run came to. It is a line of a file of the ledger, in JSON.
type Line struct {
	Kind          string `json:"kind"`
	Lock          string `json:"lock"`                   // the name of a finding, a store or an app stands here, too
	LockVersion   string `json:"lock_version,omitempty"` // of the libraries that it is made of; "": it has none
	Server        string `json:"server,omitempty"`
	ServerVersion string `json:"server_version,omitempty"`

	Fault    string `json:"fault,omitempty"`    // of a run or an app: faults joined by "+", or none
	Scenario string `json:"scenario,omitempty"` // of a play
	Variant  string `json:"variant,omitempty"`
	Workload string `json:"workload,omitempty"`
	// Flags are those that decide what is run, but for the ones that have fields of their own:
	// "--clients 5 --ttl 1s". Runs with the same flags belong together.
	Flags string `json:"flags,omitempty"`
	Asked string `json:"asked,omitempty"` // --duration of a run or an app; "": the line is older than the field
	Seed  uint64 `json:"seed,omitempty"`

	Grade     string   `json:"grade"`
	Reason    string   `json:"reason,omitempty"`    // of not injected
	Anomalies []string `json:"anomalies,omitempty"` // the kinds that were found
	Failed    bool     `json:"failed,omitempty"`    // see checker.Result
	Met       bool     `json:"met,omitempty"`       // a play showed what it must
	Grants    int      `json:"grants"`
	Effective int      `json:"effective"`        // faults whose effect mattered
	Trials    int      `json:"trials,omitempty"` // of a search
	// Freed has a time for each holder that died, until the next grant of its lock.
	Freed   []int64  `json:"freed_ms,omitempty"`
	Figures []Figure `json:"figures,omitempty"` // of what was measured

	Duration int64   `json:"duration_ms"`
	Commit   string  `json:"commit"` // of torture
	Date     string  `json:"date"`   // when the run began, in UTC
	Machine  string  `json:"machine"`
	Cores    int     `json:"cores"`
	Before   float64 `json:"load_before"` // average of the last minute
	After    float64 `json:"load_after"`
	// Others is the share of the processors' time that other programs took during the run, from 0 to 1;
	// nil: the line is older than the field, or the system does not say.
	Others  *float64 `json:"other_work,omitempty"`
	Stall   int64    `json:"stall_ms"` // the longest for which the machine kept the harness from running
	Sources Sums     `json:"sources"`
}

// A Figure is a number that was measured, with its interval and of how many it is.
type Figure struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Low   float64 `json:"low,omitempty"`
	High  float64 `json:"high,omitempty"`
	N     int     `json:"n,omitempty"`
}

// Sums are the sums of the sources that a result depends on.
type Sums struct {
	Lock    string `json:"lock"`    // the lock, its library's version, its servers' settings
	Fault   string `json:"fault"`   // the faults, and the links that they are injected on; of a play the scripts
	Checker string `json:"checker"` // what records and what judges
}

// Changed names the parts in which two sums differ.
func (s Sums) Changed(now Sums) (parts []string) {
	for _, p := range []struct{ name, was, is string }{
		{"the lock", s.Lock, now.Lock}, {"the fault", s.Fault, now.Fault}, {"the checker", s.Checker, now.Checker},
	} {
		if p.was != p.is {
			parts = append(parts, p.name)
		}
	}
	return parts
}

// A machine was busy above these. The load has the run's own work in it, so it only decides where
// the line does not say how much was other work.
const (
	busyLoad  = 1.5 // for each core
	busyShare = 0.5 // of the processors' time
	costShare = 0.1 // the same, for what was measured
)

// Busy reports whether the machine was busy with other work. Such a run counts for no cost, and
// its verdict is marked.
func (l Line) Busy() bool {
	switch {
	case l.Others == nil:
		return max(l.Before, l.After) > busyLoad*float64(l.Cores)
	case l.Kind == Bench || l.Kind == Sweep:
		return *l.Others > costShare
	}
	return *l.Others > busyShare
}

var (
	word = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	set  = regexp.MustCompile(`^[a-z]+(-[a-z]+)*(\+[a-z]+(-[a-z]+)*)*$`)
	sum  = regexp.MustCompile(`^[0-9a-f]{8}$`)
)

// slack is how far the clock of a machine that wrote a line may be ahead of that of its reader.
const slack = 10 * time.Minute

// Check returns what is wrong with a line that is read now.
func (l Line) Check(now time.Time) error {
	for _, check := range []func() error{l.checkSubject, l.checkResult, l.checkMachine} {
		if err := check(); err != nil {
			return err
		}
	}
	at, err := time.Parse(time.RFC3339, l.Date)
	switch {
	case err != nil || !strings.HasSuffix(l.Date, "Z"):
		return fmt.Errorf("date %q: must be in UTC, such as 2026-11-24T01:50:00Z", l.Date)
	case at.After(now.Add(slack)):
		return fmt.Errorf("date %s is in the future", l.Date)
	}
	return nil
}

// checkSubject checks what was run.
func (l Line) checkSubject() error {
	switch {
	case !IsName(l.Lock):
		return fmt.Errorf("lock %q is no name", l.Lock)
	case l.Kind == Run && !set.MatchString(l.Fault):
		return fmt.Errorf("fault %q is no set of faults", l.Fault)
	case l.Kind == Run && (!word.MatchString(l.Workload) || l.Scenario != "" || l.Variant != "" || l.Met):
		return fmt.Errorf("a run has a workload, and neither a scenario nor a variant: %q, %q, %q", l.Workload, l.Scenario, l.Variant)
	case l.Kind == Scenario && (!word.MatchString(l.Scenario) || l.Fault != ""):
		return fmt.Errorf("a play has a scenario and no fault: %q, %q", l.Scenario, l.Fault)
	case l.Kind == App && (!set.MatchString(l.Fault) || l.Workload != ""):
		return fmt.Errorf("an app has faults and no workload: %q, %q", l.Fault, l.Workload)
	case l.Asked != "" && (l.Kind != Run && l.Kind != App || !isDuration(l.Asked)):
		return fmt.Errorf("asked %q: for a run or an app this must be a duration, such as 10s", l.Asked)
	case grades(l.Kind) == nil:
		return fmt.Errorf("kind %q: %s", l.Kind, strings.Join(kinds(), ", "))
	case l.Kind != Run && l.Kind != Scenario && (l.Scenario != "" || l.Variant != "" || l.Met || l.Fault != "" && !set.MatchString(l.Fault)):
		return fmt.Errorf("a %s has neither a scenario nor a variant: %q, %q", l.Kind, l.Scenario, l.Variant)
	}
	for name, sum := range map[string]string{"lock": l.Sources.Lock, "fault": l.Sources.Fault, "checker": l.Sources.Checker} {
		if !isSum(sum) {
			return fmt.Errorf("sources: the sum %q of the %s must have eight hexadecimal digits", sum, name)
		}
	}
	return nil
}

// IsName reports whether a lock or a store can be called so in a line.
func IsName(s string) bool { return word.MatchString(s) }

func isDuration(s string) bool {
	d, err := time.ParseDuration(s)
	return err == nil && d > 0
}

func isSum(s string) bool { return sum.MatchString(s) }

// checkResult checks what the run came to.
func (l Line) checkResult() error {
	switch grades := grades(l.Kind); {
	case !slices.Contains(grades, l.Grade):
		return fmt.Errorf("grade %q: %s", l.Grade, strings.Join(grades, ", "))
	case (l.Grade == Taken) != (len(l.Figures) > 0):
		return fmt.Errorf("grade %s with %d figures", l.Grade, len(l.Figures))
	case (l.Grade == NotInjected) != (l.Reason != ""):
		return fmt.Errorf("grade %s with the reason %q: the grade 'not injected' needs a reason, and no other grade has one", l.Grade, l.Reason)
	case l.Grade == NotInjected && (l.Grants != 0 || l.Effective != 0 || len(l.Anomalies) > 0 || l.Kind != Run):
		return fmt.Errorf("nothing was run, but the line has %d grants, %d faults and the anomalies %q", l.Grants, l.Effective, l.Anomalies)
	case l.Grade == string(checker.Unsafe) && len(l.Anomalies) == 0:
		return fmt.Errorf("grade %s without an anomaly", l.Grade)
	case slices.ContainsFunc(l.Freed, func(ms int64) bool { return ms < 0 }):
		return fmt.Errorf("freed_ms has a negative time: %d", l.Freed)
	case l.Trials < 0 || l.Trials > 0 && l.Kind != Search:
		return fmt.Errorf("%d trials of a %s", l.Trials, l.Kind)
	case l.Grants < 0 || l.Effective < 0 || l.Duration < 0 || l.Stall < 0:
		return fmt.Errorf("a negative count or time: %d grants, %d faults, %d ms, stall %d ms", l.Grants, l.Effective, l.Duration, l.Stall)
	}
	for _, kind := range l.Anomalies {
		if !slices.Contains(checker.Kinds(), kind) {
			return fmt.Errorf("there is no anomaly %q", kind)
		}
	}
	return nil
}

// checkMachine checks where it was run.
func (l Line) checkMachine() error {
	switch {
	case l.Commit == "" || l.Machine == "":
		return fmt.Errorf("commit %q and machine %q must be known", l.Commit, l.Machine)
	case l.Cores < 1:
		return fmt.Errorf("%d cores", l.Cores)
	case l.Before < 0 || l.After < 0:
		return fmt.Errorf("a negative load: %g, %g", l.Before, l.After)
	case l.Others != nil && (*l.Others < 0 || *l.Others > 1):
		return fmt.Errorf("other_work %g: a share is from 0 to 1", *l.Others)
	}
	return nil
}
