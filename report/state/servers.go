package state

import (
	"slices"

	"locktorture/history"
	"locktorture/timeline"
)

// look takes what a probe saw.
func (t *Tracker) look(op timeline.Entry) {
	i, known := t.at(Subject{Kind: Has, Name: op.Node, Of: op.Lock})
	if !known {
		t.looks[op.Lock] = append(t.looks[op.Lock], i)
	}
	l := Look{Seen: op.Time}
	if began, ok := op.Began(); ok {
		l.Asked = began
	}
	if op.Holds == nil && op.Owner() != "" {
		l.Holders = []Holder{{Owner: op.Owner(), Until: op.Expiry()}}
	}
	for _, h := range op.Holds {
		l.Holders = append(l.Holders, Holder{Owner: h.Owner, Mode: h.Mode, Permits: h.Permits, Until: h.Until})
	}
	for i, g := range op.Holders {
		if g != nil {
			l.Holders[i].Client, l.Holders[i].Lease = nameOf(g.Ret), g.Number
		}
	}
	t.set(i, l)
}

// recognise names the client of an owner that was seen before its grant was told.
func (t *Tracker) recognise(grant *history.Op, client string) {
	for _, i := range t.looks[grant.Lock] {
		l := t.values[i].(Look)
		at := slices.IndexFunc(l.Holders, func(h Holder) bool { return h.Owner == grant.Owner() && h.Lease == 0 })
		if at < 0 {
			continue
		}
		l.Holders = slices.Clone(l.Holders)
		l.Holders[at].Client, l.Holders[at].Lease = client, grant.Lease
		t.set(i, l)
	}
}
