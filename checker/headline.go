package checker

import (
	"fmt"
	"strings"

	"locktorture/checker/incident"
	"locktorture/history"
	"locktorture/internal/figures"
	"locktorture/timeline"
)

// headline sums up a run in one line, which is shown beside its grade: "4 incidents (clock
// jump ×3, stopped client ×1); 371 of 2,098 units lost".
func headline(r *Result, rejected int) string {
	var parts []string
	if r.Incidents.Total > 0 {
		parts = append(parts, r.Incidents.Says())
	}
	if unsound := found(&incident.Findings{Counts: r.Counts.Anomalies}, incident.Fencing); unsound != "" {
		parts = append(parts, "unsound tokens: "+unsound)
	}
	switch r.Grade {
	case Safe:
		if r.Incidents.Total == 0 {
			parts = append(parts, "no violation in "+figures.Plural(r.Counts.Grants, "grant", "grants"), effective(r.Counts))
		}
	case FencedG:
		parts = append(parts, "the fence rejected "+figures.Plural(rejected, "stale operation", "stale operations"))
	case Unsafe:
		if l := lost(r.Stores); l != "" {
			parts = append(parts, l)
		}
	}
	if r.Reason != "" {
		parts = append(parts, r.Reason)
	}
	return strings.Join(parts, "; ")
}

// effective says how many faults mattered.
func effective(c timeline.Counts) string {
	if c.Faults == 0 {
		return "no faults were injected"
	}
	return figures.Plural(c.Bites, "effective fault", "effective faults")
}

// lost says how much of the fenced store was lost. If nothing was, it says how much of the
// plain store was lost; "" if nothing was lost at all.
func lost(stores []StoreResult) string {
	text := ""
	for _, s := range stores {
		if s.Lost == 0 || s.Of == 0 {
			continue
		}
		text = fmt.Sprintf("%s of %s lost", figures.Count(s.Lost), figures.Plural(s.Of, s.LossUnit, s.LossUnit))
		if s.Store == history.Fenced {
			text += " behind the fence"
		}
	}
	return text
}
