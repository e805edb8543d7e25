package checker

import (
	"fmt"
	"slices"
	"strings"

	"locktorture/checker/incident"
	"locktorture/history"
	"locktorture/internal/figures"
	"locktorture/timeline"
)

// grade fills in the verdict: grade, sentence, reason, bound, failed.
func (v *verdict) grade(r *Result, f *incident.Findings, refusedStale int) {
	broken := f.Has(incident.Exclusion)
	r.BrokenBy = breaker(f.Counts)
	plain, fenced := corrupt(r.Stores, history.Plain), corrupt(r.Stores, history.Fenced)
	switch {
	case !broken && (plain || fenced) && v.run.Options.Control:
		r.Grade, r.Harness = Unknown, true
		r.Reason = "a store is corrupt under the control lock, but no anomaly of this lock explains that: the harness is at fault"
	case !broken && (plain || fenced):
		r.Grade, r.Reason = Unsafe, "cause not identified"
		if n := v.run.Trespasses; n > 0 {
			r.Reason = fmt.Sprintf("clients made %d store operations without the lock, so the lock is not to blame", n)
		}
	case broken:
		v.gradeBroken(r, f, fenced, refusedStale)
	case f.Has(incident.Fencing):
		r.Grade, r.Reason = Unsafe, "the fence is unsound, though no violation of exclusion was found"
	default:
		v.gradeUnbroken(r)
	}
	r.Failed = r.Grade == Unsafe || r.BrokenBy == TheLock || f.Has(incident.Ownership) || f.Has(incident.Liveness) || f.Has(incident.Linearizability)
	v.excuse(r, f) // throttled.go
	r.Sentence = v.sentence(r, f, refusedStale)
	r.Headline = headline(r, refusedStale)
}

// gradeBroken: exclusion was violated; did fencing save it?
func (v *verdict) gradeBroken(r *Result, f *incident.Findings, fencedCorrupt bool, refusedStale int) {
	switch {
	case !v.run.Options.Tokens, !v.run.FencedUsed, f.Has(incident.Fencing), fencedCorrupt:
		r.Grade = Unsafe
	case v.unended() != "":
		r.Grade, r.Reason = Unknown, "exclusion was violated, and "+v.unended()
	case refusedStale > 0:
		r.Grade = FencedG
	default:
		r.Grade = Unknown
		r.Reason = "exclusion was violated, but no stale operation tested the fence"
	}
}

// gradeUnbroken: nothing was violated; could the run have shown it?
func (v *verdict) gradeUnbroken(r *Result) {
	var missing []string
	for _, why := range []string{v.unended(), v.unserved()} {
		if why != "" {
			missing = append(missing, why)
		}
	}
	need := max(v.run.Options.MinGrants, 1)
	if r.Counts.Grants < need {
		missing = append(missing, fmt.Sprintf("%s, but the minimum is %s", figures.Plural(r.Counts.Grants, "grant", "grants"), figures.Count(need)))
	} else if n := v.on.Totals.Promised; n < need {
		missing = append(missing, fmt.Sprintf("only %d of %d grants reported a validity, but at least %d must, because a grant without a validity promises nothing", n, r.Counts.Grants, need))
	}
	missing = append(missing, ineffective(v.run.Options.Nemeses, r.Faults)...)
	for _, p := range r.Properties {
		if p.Status == NotChecked && (p.Name == incident.Linearizability || p.Name == incident.Exclusion && r.Counts.Grants > 0) {
			missing = append(missing, p.Name+" is unknown: "+p.Reason)
		}
	}
	if v.run.Ended != nil && v.run.Ended.Why() == history.AtLimit && (len(missing) > 0 || len(v.run.Options.Nemeses) == 0) {
		missing = append(missing, fmt.Sprintf("the history reached its size limit after %s, before the run was over", timeline.Dur(r.Counts.Duration)))
	}
	if len(missing) > 0 {
		r.Grade, r.Reason = Unknown, strings.Join(missing, "; ")
		return
	}
	r.Grade, r.Bound = Safe, bound(r.Counts)
	if v.run.Options.Scripted {
		r.Bound = "only one schedule was run, so there is no bound"
	}
}

// unended returns why the history shows less than the whole run: what came after it can have
// been worse. It returns "" if the history is whole, or was ended early and in order.
func (v *verdict) unended() string {
	switch {
	case v.run.Ended == nil:
		return "the history has no end: the run was killed, the file was cut off, or the run is not over"
	case v.run.Ended.Why() == history.Failed:
		return "the harness failed: " + v.run.Ended.Error
	case v.run.Ended.Why() == history.DriverFailed:
		return "the driver failed: " + v.run.Ended.Error
	}
	return ""
}

// bound applies the rule of three: an event that did not occur in n independent trials has, at
// 95 % confidence, a probability below 3/n.
func bound(c timeline.Counts) string {
	what, n := "effective faults", c.Bites
	if n == 0 {
		what, n = "grants (no fault was injected)", c.Grants
	}
	if n <= 3 {
		return fmt.Sprintf("0 of %s %s led to a violation; the sample is too small for a bound at 95 %% confidence", figures.Count(n), what)
	}
	return fmt.Sprintf("0 of %s %s led to a violation, so, at 95 %% confidence, fewer than %.2g %% lead to one", figures.Count(n), what, 300/float64(n))
}

func corrupt(stores []StoreResult, name string) bool {
	return slices.ContainsFunc(stores, func(s StoreResult) bool { return s.Store == name && !s.Correct })
}

// sentence says the verdict in one sentence.
func (v *verdict) sentence(r *Result, f *incident.Findings, refusedStale int) string {
	var what string
	beside := found(f, incident.Ownership, incident.Liveness, incident.Linearizability)
	switch r.Grade {
	case Unsafe:
		what = "unsafe: " + blamed(r, found(f, incident.Exclusion, incident.Fencing, incident.Workload))
		if f.Has(incident.Exclusion) && !f.Has(incident.Fencing) {
			what += "; " + v.unsaved(r)
		}
	case FencedG:
		what = fmt.Sprintf("fenced: %s; the tokens grew, and the fenced store rejected %s and stayed correct",
			blamed(r, found(f, incident.Exclusion)), figures.Plural(refusedStale, "stale operation", "stale operations"))
	case Safe:
		what = safe(r, beside)
	default:
		what = "unknown"
		if r.BrokenBy != Nobody {
			what += ": " + blamed(r, found(f, incident.Exclusion))
		}
	}
	if r.Reason != "" {
		colon := ": "
		if r.BrokenBy != Nobody {
			colon = "; "
		}
		what += colon + r.Reason
	}
	if beside != "" && r.Grade != Safe {
		what += "; also: " + beside
	}
	return what
}

// safe says what a safe run is worth, and which violations beside the grade make it fail
// nevertheless.
func safe(r *Result, beside string) string {
	worth := r.Bound
	if r.Counts.Faults == 0 {
		worth = "no faults were injected"
	}
	grants := figures.Plural(r.Counts.Grants, "grant", "grants")
	if beside != "" {
		return fmt.Sprintf("safe, but failed: %s; exclusion, fencing and the workload's invariant held in %s; %s", beside, grants, worth)
	}
	return fmt.Sprintf("safe: no violation in %s; %s", grants, worth)
}

// blamed prefixes what was found with who broke exclusion.
func blamed(r *Result, what string) string {
	if r.BrokenBy == Nobody {
		return what
	}
	return r.BrokenBy.says() + ": " + what
}

// unsaved says why fencing did not help.
func (v *verdict) unsaved(r *Result) string {
	switch {
	case !v.run.Options.Tokens:
		return "this lock issues no fencing tokens"
	case !v.run.FencedUsed:
		return "the lock's tokens were not used"
	case corrupt(r.Stores, history.Fenced):
		return "fencing did not protect the store"
	}
	return ""
}

// CountOf says how many anomalies of a kind there are: "3 double-grant", "1 linearizability
// violation".
func CountOf(kind string, n int) string {
	if kind == "nonlinearizable" {
		return figures.Plural(n, "linearizability violation", "linearizability violations")
	}
	return figures.Plural(n, kind, kind)
}

// found counts the anomalies of some properties: "3 double-grant, 1 lost-update".
func found(f *incident.Findings, properties ...string) string {
	var parts []string
	for _, name := range Kinds() {
		if n := f.Counts[name]; n > 0 && slices.Contains(properties, PropertyOf(name)) {
			parts = append(parts, CountOf(name, n))
		}
	}
	return strings.Join(parts, ", ")
}
