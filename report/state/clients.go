package state

import (
	"locktorture/history"
	"locktorture/timeline"
)

// client follows what a client does, and what it hears of its leases.
func (t *Tracker) client(op timeline.Entry) {
	name := nameOf(op.Op)
	if op.Process < 0 || op.ForRecord { // the client neither asked nor hears the answer
		return
	}
	doing, _ := t.at(Subject{Kind: Does, Name: name})
	switch {
	case op.F == history.Lost:
		if t.values[doing] == nil {
			t.set(doing, Doing{Since: op.Time})
		}
		t.phase(op, Lost)
		return
	case op.F == history.Crash:
		for _, g := range op.Ended { // its process knows nothing any more
			t.drop(g.Number)
		}
		t.set(doing, Doing{F: history.Crash, Since: op.Time})
		return
	case op.Type == history.Invoke:
		t.set(doing, Doing{F: op.F, Lock: op.Lock, Store: op.Store, Key: op.Key, Since: op.Time})
		if op.F == history.Release {
			t.phase(op, Releasing)
		}
		return
	}
	t.set(doing, Doing{Since: op.Time})
	t.answer(op, name)
}

// answer follows what an answer says of a lease.
func (t *Tracker) answer(op timeline.Entry, name string) {
	switch {
	case op.F == history.Release:
		t.drop(op.Op.Lease)
	case op.F == history.Ask && op.Type == history.Fail && op.Refused == history.ByClient:
		t.phase(op, Over)
	case op.Type != history.OK:
	case op.Granted():
		t.grant(op.Lease, name)
	case op.F == history.Ask, op.F == history.Renew:
		t.told(op.Op)
	case op.F == history.Upgrade:
		t.change(op.Op.Lease, func(l *Lease) { l.Mode = "" })
	case op.F == history.Downgrade:
		t.change(op.Op.Lease, func(l *Lease) { l.Mode = history.Shared })
	}
}

func (t *Tracker) grant(g *timeline.Lease, name string) {
	if g.Owner != "" {
		t.recognise(g.Ret, name)
	}
	l := Lease{Number: g.Number, Lock: g.Lock.Name, Mode: g.Ret.Mode, Permits: g.Permits, Token: g.Token, Granted: g.Granted(), Since: g.Granted()}
	for place := 0; ; place++ {
		i, known := t.at(Subject{Kind: Holds, Name: name, Place: place})
		if !known || t.values[i].(Lease).Number == 0 {
			t.leases[g.Number] = i
			t.set(i, l)
			return
		}
	}
}

// change changes what is known of a lease that has not ended.
func (t *Tracker) change(lease int64, do func(l *Lease)) {
	i, ok := t.leases[lease]
	if !ok {
		return
	}
	l := t.values[i].(Lease)
	do(&l)
	t.set(i, l)
}

func (t *Tracker) phase(op timeline.Entry, p Phase) {
	if op.Lease == nil {
		return
	}
	t.change(op.Lease.Number, func(l *Lease) {
		if p > l.Phase {
			l.Phase, l.Since = p, op.Time
		}
	})
}

// told takes the validity that a lease told. One that said before that it is over has been
// renewed.
func (t *Tracker) told(op *history.Op) {
	least, most := op.Validity()
	t.change(op.Lease, func(l *Lease) {
		if least != 0 || most != 0 {
			l.Least, l.Most = least, most
		}
		if l.Phase == Over {
			l.Phase, l.Since = Held, op.Time
		}
	})
}

func (t *Tracker) drop(lease int64) {
	if i, ok := t.leases[lease]; ok {
		delete(t.leases, lease)
		t.set(i, Lease{})
	}
}
