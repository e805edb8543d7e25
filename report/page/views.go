package page

import (
	"fmt"
	"slices"
	"strings"

	"locktorture/checker"
	"locktorture/history"
	"locktorture/report/diagram"
	"locktorture/report/verdict"
	"locktorture/report/words"
)

// maxAnomalies bounds the anomalies of a property that a page lists, beside
// the first of each kind.
const maxAnomalies = 200

func propViews(res checker.Result) []propView {
	var out []propView
	id := 0
	for _, p := range res.Properties {
		v := propView{Property: p, Kinds: verdict.Kinds(res, p)}
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

// witnessRows returns the faults in place and the operations of a witness.
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

// beganAs says what it is that an event tells the time of, beside its own.
func beganAs(f history.F) string {
	switch f {
	case history.Crash:
		return "the kill was sent at"
	case history.Lost:
		return "its driver noticed the loss at"
	case history.Probe:
		return "the server was asked at"
	}
	return "began at"
}

func witnessOf(op history.Op) witnessRow {
	r := witnessRow{Time: words.Exact(op.Time), Who: diagram.ClientName(op), What: fmt.Sprintf("%s %s", op.F, op.Type), Class: string(op.Type)}
	if op.Process == history.Nemesis {
		r.Who, r.What, r.Class = "nemesis", fmt.Sprintf("%s %s", op.F, words.Word(op.Kind())), "fault"
	}
	var d []string
	add := func(format string, args ...any) { d = append(d, fmt.Sprintf(format, args...)) }
	if op.Lock != "" {
		add("lock %s", words.Word(op.Lock))
	}
	if op.Lease > 0 {
		add("lease %d", op.Lease)
	}
	if op.Token > 0 {
		add("token %d", op.Token)
	}
	began, known := op.Began()
	least, most := op.Validity()
	switch {
	case op.F.Event() && known:
		add("%s %s", beganAs(op.F), words.Exact(began))
	case !op.F.Event() && least != 0:
		add("valid until between %s and %s", words.Exact(least), words.Exact(most))
	}
	if op.F == history.Probe && op.Expiry() != 0 {
		add("expires at %s", words.Exact(op.Expiry()))
	}
	switch {
	case op.Store != "":
		add("%s store: %s", words.Word(op.Store), accessText(&op))
	case op.Value != "":
		add("%s", words.Clean(op.Value, 2*words.MaxWord))
	}
	switch op.Refused {
	case "":
	case history.ByTime:
		add("the client's time limit for this call had run out")
	default:
		add("refused by the %s", words.Word(op.Refused))
	}
	if op.Node != "" {
		add("on %s", words.Word(op.Node))
	}
	if op.Error != "" {
		add("%s", words.Sentence(op.Error))
	}
	r.Detail = strings.Join(d, ", ")
	return r
}

// marks places the anomalies on the timeline.
func marks(props []propView, b *builder) []anomalyMark {
	out := []anomalyMark{}
	for _, p := range props {
		for _, a := range p.Anomalies {
			m := anomalyMark{ID: a.ID, Kind: words.Word(a.Kind), Lock: b.locks.index(words.Word(a.Lock)), Time: a.Time / 1000, From: a.Time / 1000, To: a.Time / 1000, Lanes: []int{}, Leases: []int64{}}
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
