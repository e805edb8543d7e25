package checker

import (
	"fmt"
	"slices"
	"strings"

	"locktorture/checker/app"
	"locktorture/checker/incident"
	"locktorture/checker/rule"
	"locktorture/history"
	"locktorture/internal/figures"
	"locktorture/timeline"
)

// appRule says by which rule a fault of the replicas of a program counts as effective.
const appRule = "a run of a job was under way on the replica that the fault struck; if the fault delayed messages, or was not aimed at a single replica, a run under way on any replica is enough"

// judgeApp judges the history of the replicas of a program by the promises of its jobs.
func judgeApp(src history.Source, o timeline.Options) (Result, error) {
	run, err := timeline.Survey(src, o)
	if err != nil {
		return Result{}, err
	}
	v := &verdict{run: run, on: rule.NewCase(run, nil)}
	f := incident.NewFindings(v.on.Book)
	found, err := app.Judge(src, run, f)
	if err != nil {
		return Result{}, err
	}
	v.on.Bit = found.Bit
	r := Result{Counts: run.Counts, Incidents: v.on.Book.Incidents(f), Faults: v.coverage()}
	r.Counts.Grants, r.Counts.Anomalies = found.Runs, f.Counts
	for i := range r.Faults {
		r.Faults[i].Rule = appRule
		r.Counts.Faults += r.Faults[i].Injected
		r.Counts.Bites += r.Faults[i].Bit
	}
	if run.Ended != nil && run.Ended.Why() != history.Complete {
		r.Ended = run.Ended.Why()
	}
	r.Properties = []Property{appProperty(f, found, o, incident.Exclusion), appProperty(f, found, o, incident.Liveness)}
	v.gradeApp(&r, f, found)
	return r, nil
}

// appProperty says whether the jobs kept a property.
func appProperty(f *incident.Findings, found app.Findings, o timeline.Options, name string) Property {
	p := propertyIn(f, name)
	promised := slices.ContainsFunc(o.Jobs, func(j timeline.Job) bool {
		if name == incident.Exclusion {
			return j.OneAtATime != "" || j.OnceEachKey
		}
		return j.NoneLost || j.AgainWithin > 0
	})
	switch {
	case p.Total > 0:
	case !promised:
		p.Status, p.Reason = NotApplicable, "no job promises this property"
	case len(found.Unsure[name]) > 0:
		p.Status, p.Reason = NotChecked, strings.Join(found.Unsure[name], "; ")
	case found.Runs == 0 && name == incident.Exclusion:
		p.Status, p.Reason = NotChecked, "no run of any job was observed"
	}
	return p
}

// gradeApp makes the verdict from what was found about the jobs.
func (v *verdict) gradeApp(r *Result, f *incident.Findings, found app.Findings) {
	harmed := f.Counts["ran-twice"]+f.Counts["stale-effect"]+f.Counts["two-leaders"] > 0
	switch {
	case harmed, f.Has(incident.Exclusion) && !found.Effects:
		r.Grade = Unsafe
	case f.Has(incident.Exclusion) && found.Refused > 0 && v.unended() == "":
		r.Grade = FencedG
	case f.Has(incident.Exclusion):
		r.Grade, r.Reason = Unknown, "runs overlapped, but no stale effect tested the store"
	default:
		v.gradeQuietApp(r)
		if r.Grade == Safe && found.Refused > 0 {
			r.Grade = FencedG
		}
	}
	r.Failed = r.Grade == Unsafe || f.Has(incident.Liveness)
	v.unservedApp(r, f)
	v.excuse(r, f)
	r.Headline = appHeadline(r, found)
	r.Sentence = string(r.Grade) + ": " + r.Headline
}

// unservedApp makes violations of liveness unknown if a server could not be used for long.
func (v *verdict) unservedApp(r *Result, f *incident.Findings) {
	why := v.unserved()
	if why == "" || !f.Has(incident.Liveness) {
		return
	}
	p := &r.Properties[1]
	p.Status, p.Reason = NotChecked, why
	if r.Failed = r.Grade == Unsafe; r.Grade == Safe || r.Grade == FencedG {
		r.Grade, r.Reason = Unknown, why
	}
}

// gradeQuietApp grades a run in which nothing was violated: could it have shown a violation?
func (v *verdict) gradeQuietApp(r *Result) {
	var missing []string
	if why := v.unended(); why != "" {
		missing = append(missing, why)
	}
	if need := max(v.run.Options.MinGrants, 1); r.Counts.Grants < need {
		missing = append(missing, fmt.Sprintf("only %s of jobs were observed, but the minimum is %s", figures.Plural(r.Counts.Grants, "run", "runs"), figures.Count(need)))
	}
	if why := v.unserved(); why != "" {
		missing = append(missing, why)
	}
	missing = append(missing, ineffective(v.run.Options.Nemeses, r.Faults)...)
	for _, p := range r.Properties {
		if p.Status == NotChecked {
			missing = append(missing, p.Name+" is unknown: "+p.Reason)
		}
	}
	if len(missing) > 0 {
		r.Grade, r.Reason = Unknown, strings.Join(missing, "; ")
		return
	}
	r.Grade, r.Bound = Safe, strings.Replace(bound(r.Counts), "grants (", "runs (", 1)
}

// appHeadline sums up a run of an app in one line.
func appHeadline(r *Result, found app.Findings) string {
	var parts []string
	if r.Incidents.Total > 0 {
		parts = append(parts, r.Incidents.Says())
	}
	if r.Grade == FencedG {
		parts = append(parts, "the store refused "+figures.Plural(found.Refused, "stale effect", "stale effects"))
	}
	if r.Grade == Safe && r.Incidents.Total == 0 {
		parts = append(parts, "no violation in "+figures.Plural(r.Counts.Grants, "run", "runs")+" of jobs", effective(r.Counts))
	}
	if r.Reason != "" {
		parts = append(parts, r.Reason)
	}
	return strings.Join(parts, "; ")
}
