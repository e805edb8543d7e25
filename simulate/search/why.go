package search

import (
	"fmt"
	"strings"
)

// Why describes a schedule in words: each fault with its role, and the dependence on timing. causes
// holds the roles of the first faults; of the others Why shows only the line of the schedule.
func Why(t Trial, causes []Cause, r Robustness) string {
	var b strings.Builder
	if len(t.Schedule) == 0 {
		b.WriteString("no fault is needed\n")
	}
	for _, c := range causes {
		b.WriteString(c.String())
	}
	b.WriteString(t.Schedule[len(causes):].String())
	if r.Worlds > 0 {
		b.WriteString(r.String() + "\n")
	}
	return b.String()
}

// String describes the share of other worlds that show the finding.
func (r Robustness) String() string {
	line := fmt.Sprintf("seen in %d of %d other worlds (other latencies, other work, times as on real servers)", r.Seen, r.Worlds)
	if r.Missed > 0 {
		line += fmt.Sprintf("; in %d of them a fault had no target", r.Missed)
	}
	return line
}
