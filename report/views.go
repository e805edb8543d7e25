package report

import (
	"fmt"
	"slices"
	"strings"

	"locktorture/checker"
	"locktorture/history"
)

// maxAnomalies bounds the anomalies of a property that a page lists, beside
// the first of each kind.
const maxAnomalies = 200

func propViews(res checker.Result) []propView {
	var out []propView
	id := 0
	for _, p := range res.Properties {
		v := propView{Property: p, Kinds: kinds(res, p)}
		seen := map[string]bool{}
		for i, a := range p.Anomalies {
			id++
			if i >= maxAnomalies && seen[a.Kind] {
				continue
			}
			seen[a.Kind] = true
			v.Anomalies = append(v.Anomalies, anomalyView{ID: id, Anomaly: a, Rows: witnessRows(a)})
		}
		out = append(out, v)
	}
	return out
}

// maxWitness bounds the entries of a witness that are listed.
const maxWitness = 40

// witnessRows are the faults in place and the operations of a witness.
func witnessRows(a checker.Anomaly) []witnessRow {
	var out []witnessRow
	ops := append(slices.Clone(a.Faults), a.Ops...)
	slices.SortStableFunc(ops, func(x, y history.Op) int { return int(max(-1, min(1, x.Time-y.Time))) })
	for i, op := range ops {
		if i == maxWitness {
			return append(out, witnessRow{What: fmt.Sprintf("… %d more entries, see result.json", len(ops)-i)})
		}
		out = append(out, witnessOf(op))
	}
	return out
}

func witnessOf(op history.Op) witnessRow {
	r := witnessRow{Time: exact(op.Time), Who: clientName(op), What: fmt.Sprintf("%s %s", op.F, op.Type), Class: string(op.Type)}
	if op.Process == history.Nemesis {
		r.Who, r.What, r.Class = "nemesis", fmt.Sprintf("%s %s", op.F, word(op.Key)), "fault"
	}
	var d []string
	add := func(format string, args ...any) { d = append(d, fmt.Sprintf(format, args...)) }
	if op.Lock != "" {
		add("lock %s", word(op.Lock))
	}
	if op.Lease > 0 {
		add("lease %d", op.Lease)
	}
	if op.Token > 0 {
		add("token %d", op.Token)
	}
	if op.UntilMin != 0 {
		add("valid until between %s and %s", exact(op.UntilMin), exact(op.UntilMax))
	} else if op.UntilMax != 0 {
		add("expires at %s", exact(op.UntilMax))
	}
	switch {
	case op.Store != "":
		add("%s store: %s", word(op.Store), accessText(&op))
	case op.Value != "":
		add("%s", clean(op.Value, 2*maxWord))
	}
	switch op.Refused {
	case "":
	case history.ByTime:
		add("the client's time for it was over")
	default:
		add("refused by the %s", word(op.Refused))
	}
	if op.Node != "" {
		add("on %s", word(op.Node))
	}
	if op.Error != "" {
		add("%s", sentence(op.Error))
	}
	r.Detail = strings.Join(d, ", ")
	return r
}

// marks places the anomalies on the timeline.
func marks(props []propView, b *builder) []anomalyMark {
	out := []anomalyMark{}
	for _, p := range props {
		for _, a := range p.Anomalies {
			m := anomalyMark{ID: a.ID, Kind: word(a.Kind), Lock: b.locks.index(word(a.Lock)), Time: a.Time / 1000, From: a.Time / 1000, To: a.Time / 1000, Lanes: []int{}, Leases: []int64{}}
			for _, op := range a.Ops {
				m.From, m.To = min(m.From, op.Time/1000), max(m.To, op.Time/1000)
				if lane, ok := b.laneOf[owner(&op)]; ok && op.Process >= 0 && !slices.Contains(m.Lanes, lane) {
					m.Lanes = append(m.Lanes, lane)
				}
				if op.Lease > 0 && !slices.Contains(m.Leases, op.Lease) {
					m.Leases = append(m.Leases, op.Lease)
				}
			}
			out = append(out, m)
		}
	}
	return out
}
