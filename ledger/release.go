package ledger

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Version is the kind of a line about one released version of a library.
const Version = "version"

// The outcomes of a release.
const (
	Shows    = "shows"     // the failure showed in a round
	NotSeen  = "not seen"  // it showed in no round
	NotBuilt = "not built" // the program and this version do not go together
	Failing  = "failed"    // the program itself failed
)

// A Release says what the program of a finding came to with one released version of a library. It
// is a line of a file below the folder versions of the ledger, in JSON.
type Release struct {
	Kind     string `json:"kind"`
	Finding  string `json:"finding"`
	Library  string `json:"library"` // a Go module, or a package of npm
	Release  string `json:"release"`
	Day      string `json:"day,omitempty"`      // of the release
	Previous string `json:"previous,omitempty"` // the release before it; "": it is the first
	Releases int    `json:"releases"`           // how many there were
	Others   string `json:"others,omitempty"`   // further libraries of the program, with their versions

	Outcome string `json:"outcome"`
	Rounds  int    `json:"rounds"` // in which the program was run. The first that shows the failure is the last
	Reason  string `json:"reason,omitempty"`

	Duration int64   `json:"duration_ms"`
	Commit   string  `json:"commit"`
	Date     string  `json:"date"`
	Machine  string  `json:"machine"`
	Cores    int     `json:"cores"`
	Before   float64 `json:"load_before"`
	After    float64 `json:"load_after"`
	Program  string  `json:"program"` // sum of the program
}

// mostReason is how many bytes a reason may have.
const mostReason = 300

var (
	library = regexp.MustCompile(`^@?[A-Za-z0-9][\w.~-]*(/[\w.~-]+)*$`)
	release = regexp.MustCompile(`^v?\d+\.\d+\.\d+[0-9A-Za-z.+-]*$`)
	day     = regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)
)

// Check returns what is wrong with a line that is read now.
func (r Release) Check(now time.Time) error {
	at, err := time.Parse(time.RFC3339, r.Date)
	switch {
	case r.Kind != Version:
		return fmt.Errorf("kind %q: %s", r.Kind, Version)
	case !word.MatchString(r.Finding):
		return fmt.Errorf("finding %q is no name", r.Finding)
	case !library.MatchString(r.Library) || !release.MatchString(r.Release):
		return fmt.Errorf("library %q %q: a name and a version are needed", r.Library, r.Release)
	case r.Previous != "" && !release.MatchString(r.Previous), r.Day != "" && !day.MatchString(r.Day), r.Releases < 1:
		return fmt.Errorf("day %q, previous %q and releases %d: one of them is not valid", r.Day, r.Previous, r.Releases)
	case err != nil || !strings.HasSuffix(r.Date, "Z"):
		return fmt.Errorf("date %q: must be in UTC, such as 2026-11-24T01:50:00Z", r.Date)
	case at.After(now.Add(slack)):
		return fmt.Errorf("date %s is in the future", r.Date)
	case !isSum(r.Program):
		return fmt.Errorf("the sum %q of the program must have eight hexadecimal digits", r.Program)
	}
	return errors.Join(r.checkOutcome(), Line{Commit: r.Commit, Machine: r.Machine, Cores: r.Cores, Before: r.Before, After: r.After}.checkMachine())
}

// checkOutcome checks what the program came to.
func (r Release) checkOutcome() error {
	answered := r.Outcome == Shows || r.Outcome == NotSeen
	switch {
	case !slices.Contains([]string{Shows, NotSeen, NotBuilt, Failing}, r.Outcome):
		return fmt.Errorf("outcome %q: %s, %s, %s or %s", r.Outcome, Shows, NotSeen, NotBuilt, Failing)
	case answered && r.Rounds < 1, r.Outcome == NotBuilt && r.Rounds != 0, r.Rounds < 0, r.Duration < 0:
		return fmt.Errorf("%s with %d rounds in %d ms", r.Outcome, r.Rounds, r.Duration)
	case answered != (r.Reason == ""):
		return fmt.Errorf("%s with the reason %q: the outcomes 'not built' and 'failed' need a reason, and no others have one", r.Outcome, r.Reason)
	case len(r.Reason) > mostReason:
		return fmt.Errorf("a reason of %d bytes", len(r.Reason))
	}
	return nil
}

// Busy reports whether the machine was busy with other work.
func (r Release) Busy() bool { return max(r.Before, r.After) > busyLoad*float64(r.Cores) }

// releases is the folder of a ledger that has the lines about releases.
const releases = "versions"

// AppendRelease adds a line to the ledger in a directory, as Append does.
func AppendRelease(dir string, r Release) error { return add(filepath.Join(dir, releases), r) }

// file returns the name of the file that has a line.
func (r Release) file() string { return fileOf(r.Date) }

// ReadReleases reads the lines about releases of the ledger in a directory.
func ReadReleases(dir string, now time.Time) ([]Release, error) {
	return readAll[Release](filepath.Join(dir, releases), now)
}

// ParseReleases reads the lines of a file, as Parse does.
func ParseReleases(name string, text []byte, now time.Time) ([]Release, error) {
	return parse[Release](name, text, now)
}
