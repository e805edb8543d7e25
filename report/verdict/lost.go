package verdict

import (
	"fmt"
	"strings"
	"time"

	"locktorture/checker"
	"locktorture/report/words"
)

// Lost says what was lost in a store. control: it stands beside one that checks tokens, to
// show what that prevents.
func Lost(s checker.StoreResult, control bool) string {
	where := "in the " + words.Word(s.Store) + " store"
	if control {
		where = "in the control store (no token check)"
	}
	unit := s.LossUnit
	if unit == "" {
		unit = "operations"
	}
	var text string
	switch {
	case s.Lost > 0:
		text = fmt.Sprintf("%s of %s %s (%s) %s", words.Count(s.Lost), words.Count(s.Of), words.Word(unit), words.Percent(s.Loss), where)
	case !s.Correct:
		text = "nothing that can be counted, but the data " + where + " is corrupted"
	case s.Of == 0:
		text = "nothing " + where
	default:
		text = fmt.Sprintf("none of %s %s %s", words.Count(s.Of), words.Word(unit), where)
	}
	if s.Refused > 0 {
		text += "; rejected " + rejected(s)
	}
	if s.Note != "" {
		text += "; " + words.Sentence(s.Note)
	}
	return text
}

// rejected says what a fenced store refused: stale operations, which is what it is for, and
// those of the current holder, which unsound tokens lock out.
func rejected(s checker.StoreResult) string {
	var parts []string
	if stale := s.Refused - s.LockedOut; stale > 0 {
		parts = append(parts, words.Plural(stale, "stale operation", "stale operations"))
	}
	if s.LockedOut > 0 {
		parts = append(parts, words.Plural(s.LockedOut, "operation of the current holder", "operations of the current holder"))
	}
	return strings.Join(parts, " and ")
}

// TTL says what a run tells of the time to live of the leases: how long sections held the
// lock, for how long a client was stopped, how soon the lock was granted again after a fault,
// and which of these outlasts a lease. "" says nothing.
func TTL(m checker.Measures, ttl time.Duration) string {
	if ttl <= 0 || m.Hold.N == 0 {
		return ""
	}
	parts := []string{"hold p99 " + brief(m.Hold.P99)}
	if m.LongestStop > 0 {
		parts = append(parts, "longest pause "+brief(m.LongestStop))
	}
	if m.Recovery.N > 0 {
		parts = append(parts, "recovery "+brief(m.Recovery.Max))
	}
	says := "the TTL outlasts holds and pauses"
	switch {
	case m.Hold.P99 >= int64(ttl):
		says = "sections outlast the TTL"
	case m.LongestStop >= int64(ttl):
		says = "pauses outlast the TTL"
	case m.LongestStop == 0:
		says = "no client was paused"
	}
	return strings.Join(parts, ", ") + ": " + says
}

// brief writes a length of time with two figures.
func brief(ns int64) string {
	unit := int64(1)
	for ns/unit >= 100 {
		unit *= 10
	}
	return words.Span((ns + unit/2) / unit * unit)
}
