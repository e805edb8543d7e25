package selftest

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"locktorture/checker"
	"locktorture/registry"
)

// fired reads how often a mutant said that its switch mattered: its last word, of each
// process.
func fired(log string) (n int) {
	last := 0
	for line := range strings.Lines(log) {
		count, ok := strings.CutPrefix(strings.TrimSpace(line), registry.FiredLine)
		if !ok {
			continue
		}
		c, _ := strconv.Atoi(count)
		if c == 1 { // a new process
			n += last
		}
		last = c
	}
	return n + last
}

// clientLogs are what the processes of clients had to say.
func clientLogs(dir string) (logs []string) {
	if dir == "" {
		return nil
	}
	files, _ := filepath.Glob(filepath.Join(dir, "client-*.log"))
	for _, f := range files {
		if b, err := os.ReadFile(f); err == nil {
			logs = append(logs, string(b))
		}
	}
	return logs
}

// brief is a result with the first anomaly of each kind, without its operations.
func brief(r checker.Result) checker.Result {
	all := r.Properties
	r.Properties = nil
	for _, p := range all {
		var first []checker.Anomaly
		for _, a := range p.Anomalies {
			a.Ops, a.Faults = nil, nil
			switch i := slices.IndexFunc(first, func(b checker.Anomaly) bool { return b.Kind == a.Kind }); {
			case i < 0:
				first = append(first, a)
			case a.Time < first[i].Time:
				first[i] = a
			}
		}
		p.Anomalies = first
		r.Properties = append(r.Properties, p)
	}
	r.Incidents = checker.Incidents{}
	return r
}

// first is when the first anomaly of some kinds was complete; false if there is none.
func first(r checker.Result, kinds ...string) (at time.Duration, kind string, ok bool) {
	for _, p := range r.Properties {
		for _, a := range p.Anomalies {
			if slices.Contains(kinds, a.Kind) && (!ok || time.Duration(a.Time) < at) {
				at, kind, ok = time.Duration(a.Time), a.Kind, true
			}
		}
	}
	return at, kind, ok
}

// seenIn says in a few words what was found.
func seenIn(r checker.Result) string {
	parts := []string{string(r.Grade)}
	for _, kind := range checker.Kinds() {
		if r.Counts.Anomalies[kind] > 0 {
			parts = append(parts, kind)
		}
	}
	return strings.Join(parts, " + ")
}

// accusations are what a verdict blames the lock for. A holder that overstays because it was
// stopped is not the lock's fault, nor what such a holder does to a store without a fence.
func accusations(r checker.Result) (kinds []string) {
	for _, p := range r.Properties {
		for _, a := range p.Anomalies {
			if a.Kind != "overrun" && p.Name != checker.Workload && !slices.Contains(kinds, a.Kind) {
				kinds = append(kinds, a.Kind)
			}
		}
	}
	if len(kinds) == 0 && r.BrokenBy != checker.TheHolder && (r.Grade == checker.Unsafe || r.Failed) {
		kinds = append(kinds, "failed: "+r.Sentence)
	}
	return kinds
}
