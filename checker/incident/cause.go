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

// momentLasts is how long after a momentary fault, such as a kill, an anomaly may begin that the
// fault caused.
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

// blamedFault is the fault to which an incident is put down, by its first anomaly and when its
// story begins: the latest of those that can have brought about such an anomaly best. nil:
// none was in place.
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

// rank ranks a fault among those that were in place; 0: it cannot have been this one.
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
