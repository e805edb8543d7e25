package ledger

import (
	"maps"
	"slices"
	"strings"
)

// The states of an anomaly from night to night.
const (
	New       = "new"       // found in the latest night, and in none before
	Ongoing   = "ongoing"   // found in the latest two nights
	Resolved  = "resolved"  // found before, and not in the latest night
	Regressed = "regressed" // found again after a night without it
)

// Nights returns the state of each anomaly that searches for one subject have found. A night is
// all lines of a day, stale ones, too: its code may have changed since. A search ends with its
// first finding, so a night that found only another anomaly says nothing about this one.
func (b *Book) Nights(s Subject) map[string]string {
	nights := map[string]map[string]bool{} // by day: the anomalies found
	all := map[string]bool{}
	for _, l := range b.of[s] {
		day, _, _ := strings.Cut(l.Date, "T")
		if nights[day] == nil {
			nights[day] = map[string]bool{}
		}
		for _, a := range l.Anomalies {
			nights[day][a], all[a] = true, true
		}
	}
	states := map[string]string{}
	for a := range all {
		for _, day := range slices.Sorted(maps.Keys(nights)) {
			if found := nights[day]; found[a] || len(found) == 0 {
				states[a] = next(states[a], found[a])
			}
		}
	}
	return states
}

// next returns the state of an anomaly after one more night. The state before the first finding
// is "".
func next(state string, found bool) string {
	switch {
	case found && state == "":
		return New
	case found && state == Resolved:
		return Regressed
	case found:
		return Ongoing
	case state != "":
		return Resolved
	}
	return ""
}
