package app

import (
	"fmt"
	"maps"
	"slices"

	"locktorture/checker/incident"
	"locktorture/history"
	"locktorture/timeline"
)

// Findings sums up a history of jobs, beside the anomalies.
type Findings struct {
	Runs    int
	Effects bool                // effects of some job were seen, and those of every job that ran together
	Refused int                 // effects of overtaken runs that the store refused
	Bit     map[int]bool        // faults that struck work, by their place in the survey
	Unsure  map[string][]string // property → why it could not be decided
}

// A judge puts the runs of each job before the rules.
type judge struct {
	Findings
	*fold
	run   *timeline.Run
	found *incident.Findings
	bare  bool // runs of a job overlapped whose effects are not seen
	close int  // runs and effects of the current job whose order the stamps leave open
}

// Judge reads the history and adds the anomalies of all jobs to found.
func Judge(src history.Source, run *timeline.Run, found *incident.Findings) (Findings, error) {
	j := &judge{fold: newFold(run.Options.Jobs), run: run, found: found, Findings: Findings{Bit: map[int]bool{}, Unsure: map[string][]string{}}}
	if err := src.Each(j.entry); err != nil {
		return j.Findings, err
	}
	j.finish()
	j.spans()
	for _, declared := range run.Options.Jobs {
		b := j.jobs[declared.Name]
		j.Runs += len(b.runs)
		j.Effects = j.Effects || b.Effects
		j.close = 0
		if b.Leads {
			j.leaders(b)
		} else {
			j.together(b)
			j.stale(b)
		}
		j.twice(b)
		j.lost(b)
		j.stuck(b)
		j.openSpans(b)
		j.refused(b)
		if j.close > 0 {
			j.unsure(incident.Exclusion, declared.Name+": two runs were so close together that their timestamps do not show whether they overlapped")
		}
		j.bites(b)
	}
	j.Effects = j.Effects && !j.bare
	j.bypassed()
	return j.Findings, nil
}

// bypassed notes that a fault of links proves nothing if a replica had a connection past its
// link. The fault may not have been effective, or may have found nothing to strike.
func (j *judge) bypassed() {
	said := map[string]bool{}
	for _, op := range j.around {
		missed := maps.Clone(j.run.Declared)
		for _, f := range j.run.Faults {
			delete(missed, f.Kind())
			if ofLinks(f.Op.FaultTraits()) && (f.Op.Client == 0 || f.Op.Client == op.Client) {
				j.goesRound(said, op, f.Kind())
			}
		}
		for _, kind := range slices.Sorted(maps.Keys(missed)) {
			if ofLinks(missed[kind]) {
				j.goesRound(said, op, kind)
			}
		}
	}
}

// ofLinks reports whether a fault strikes links.
func ofLinks(t history.FaultTraits) bool {
	return t.Effect == history.Cut || t.Effect == history.Slowed
}

// goesRound notes that a fault does not reach a connection.
func (j *judge) goesRound(said map[string]bool, op *history.Op, kind string) {
	why := fmt.Sprintf("c%d bypassed its link to %s, so %s cannot reach this connection", op.Client, op.Key, kind)
	if said[why] {
		return
	}
	said[why] = true
	j.unsure(incident.Exclusion, why)
	j.unsure(incident.Liveness, why)
}

// unseen reports whether effects of a job may have passed unseen, because a replica went
// around the links on which effects are looked for.
func (j *judge) unseen(b *job) bool {
	if len(j.around) == 0 || !b.Effects {
		return false
	}
	for _, r := range b.runs {
		if slices.ContainsFunc(slices.Concat(r.tries, r.effects), func(op *history.Op) bool { return op.Way() == byEvent || op.Way() == byLine || op.Way() == byAnswer }) {
			return false
		}
	}
	j.unsure(incident.Liveness, b.Name+": a replica bypassed its link, so the effects on this connection were not observed")
	return true
}

// refused notes that no run of a job can have done anything: its servers refused every effect,
// as servers do if the login is wrong.
func (j *judge) refused(b *job) {
	did := func(r *run) bool {
		return r.begin != nil || len(r.effects) == 0 || slices.ContainsFunc(r.effects, func(e *history.Op) bool { return e.Refused == "" })
	}
	if len(b.runs) == 0 || slices.ContainsFunc(b.runs, did) {
		return
	}
	for _, property := range []string{incident.Exclusion, incident.Liveness} {
		j.unsure(property, b.Name+": every effect was refused by its server, so no run did anything")
	}
}

// unsure notes why a property could not be decided.
func (j *judge) unsure(property, why string) {
	j.Unsure[property] = append(j.Unsure[property], why)
}

// bites finds the faults that struck a replica at work. A fault that struck no single replica,
// and a fault that delayed messages, take effect while any replica is at work. A delay is
// recorded once a message was late, and a replica that waits for the job may be the one that
// then comes too late.
func (j *judge) bites(b *job) {
	for i, f := range j.run.Faults {
		for _, r := range b.runs {
			if struck := f.Op.Client; struck > 0 && struck != r.client && !f.Effect(history.Slowed) && !f.Effect(history.Held) {
				continue
			}
			to := f.To
			if f.Moment() {
				to = f.From
			}
			if r.first <= to && r.maybeUntil(false) >= f.Began() {
				j.Bit[i] = true
				break
			}
		}
	}
}
