package app

import (
	"fmt"

	"locktorture/checker/incident"
	"locktorture/history"
	"locktorture/timeline"
)

// twice finds keys that were carried out by two runs. No time decides that, so it is certain
// as soon as both runs are known to have carried the key out.
func (j *judge) twice(b *job) {
	if !b.OnceEachKey {
		return
	}
	if !b.Effects && !b.Ends {
		j.unsure(incident.Exclusion, fmt.Sprintf("for %s, torture observes neither effects nor the end of a run, so nobody knows what was carried out", b.Name))
		return
	}
	first := map[string]*run{}
	for _, r := range b.runs {
		for _, key := range r.keysDone(b.Effects) {
			o := first[key]
			if o == nil {
				first[key] = r
				continue
			}
			one, two := o.done(key, b.Effects), r.done(key, b.Effects)
			if one.Time > two.Time {
				o, r, one, two = r, o, two, one
			}
			j.found.Add("ran-twice", o.first, func() incident.Anomaly { return ranTwice(b, key, o, r, one, two) })
		}
	}
}

// keysDone lists the keys that a run is known to have carried out.
func (r *run) keysDone(effects bool) (keys []string) {
	if !effects {
		if r.carriedOut() && r.key != "" {
			keys = append(keys, r.key)
		}
		return keys
	}
	seen := map[string]bool{"": true}
	for _, e := range r.effects {
		if e.Refused == "" && !seen[e.Key] {
			seen[e.Key] = true
			keys = append(keys, e.Key)
		}
	}
	return keys
}

func ranTwice(b *job, key string, o, r *run, one, two *history.Op) incident.Anomaly {
	return incident.Anomaly{
		Lock: b.Name, Key: key, Time: two.Time, Ops: incident.Ops(o.begin, one, r.begin, two),
		Sentence: fmt.Sprintf("%s %s was carried out by %s at %s (run %d) and again by %s at %s (run %d)",
			b.Name, key, timeline.Who(o.client), at(one), o.number, timeline.Who(r.client), at(two), r.number),
	}
}
