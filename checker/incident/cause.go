package incident

import (
	"cmp"
	"slices"
	"time"

	"locktorture/history"
	"locktorture/timeline"
)

// faultsNamed is how many faults an incident names.
const faultsNamed = 20

// momentLasts is how long, in ns, after a momentary fault, such as a kill, an anomaly may
// begin and still count as caused by it.
const momentLasts = int64(time.Second)

// causes counts the incidents by cause.
func causes(all []Incident) []IncidentCause {
	var out []IncidentCause
	for _, i := range all {
		c := i.PutDownTo()
		at := slices.IndexFunc(out, func(d IncidentCause) bool { return d.Nemesis == c.Nemesis && d.Client == c.Client && d.Rate == c.Rate })
		if at < 0 {
			at, out = len(out), append(out, c)
		}
		out[at].Incidents++
	}
	slices.SortStableFunc(out, func(a, b IncidentCause) int { return cmp.Compare(b.Incidents, a.Incidents) })
	return out
}

// blamedFault returns the fault to which an incident is attributed. a is the first anomaly of
// the incident, and from is when its story begins. Of the faults that were in place, it takes
// those that can best have caused such an anomaly (rank), and of these the latest. It returns
// nil if there is none.
func (b *Book) blamedFault(a *Anomaly, from int64) *timeline.Fault {
	var best *timeline.Fault
	most := 0
	for _, s := range b.Run.Faults {
		to := s.To
		if s.Moment() {
			to += momentLasts
		}
		if s.Began() > a.Time || to < from {
			continue
		}
		if r := rank(s, a); r > 0 && (r > most || r == most && s.Began() >= best.Began()) {
			best, most = s, r
		}
	}
	return best
}

// rank ranks a fault among those that were in place, the likeliest cause highest; 0 means that
// it cannot have been this one.
func rank(s *timeline.Fault, a *Anomaly) int {
	strikes := slices.ContainsFunc(a.Ops, func(op history.Op) bool { return op.Client > 0 && op.Client == s.Op.Client })
	switch {
	case s.Op.Client > 0 && !strikes && !s.Traits.UpsetsAll:
		return 0
	case a.Kind == Overrun && strikes, a.Property != Liveness && a.Kind != Overrun && s.Takes():
		return 3
	case strikes, a.Property == Liveness && s.Takes():
		return 2
	}
	return 1
}
