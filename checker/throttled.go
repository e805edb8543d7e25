package checker

import (
	"locktorture/checker/incident"
)

// excuse takes back a verdict that rests on time alone if the run was throttled: the throttling,
// which no entry shows, may have caused what would otherwise be blamed on the lock or a holder.
func (v *verdict) excuse(r *Result, f *incident.Findings) {
	why := v.run.Options.Throttled.Says()
	if why == "" || !f.Has(incident.Exclusion) && !f.Has(incident.Liveness) || stands(r, f) {
		return
	}
	why += ", and all anomalies found depend on timing alone"
	if what := found(f, incident.Exclusion); what != "" { // the sentence names what stands beside a grade
		why += ": " + what
	}
	r.Grade, r.Failed, r.BrokenBy, r.Reason, r.Bound = Unknown, false, Nobody, why, ""
	for i := range r.Properties {
		if p := &r.Properties[i]; p.Status == Violated {
			p.Status, p.Reason = NotChecked, why
		}
	}
}

// stands reports whether anything was found that no pause can bring about, or that is
// attributed to a fault. A pause can make a holder overstay or a notice come late, and what a
// store then loses follows from that.
func stands(r *Result, f *incident.Findings) bool {
	for kind, n := range f.Counts {
		property := PropertyOf(kind)
		timed := property == incident.Liveness || kind == incident.Overrun || kind == "late-notice" || property == incident.Workload && f.Has(incident.Exclusion)
		if n > 0 && !timed {
			return true
		}
	}
	for _, i := range r.Incidents.List {
		if i.Cause != nil && i.Anomalies[incident.Overrun] > 0 {
			return true
		}
	}
	return false
}
