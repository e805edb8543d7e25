package state

import "locktorture/history"

// client follows what a client does, and what it hears of its leases.
func (t *Tracker) client(op *history.Op) {
	name := nameOf(op)
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
		t.die(name)
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
func (t *Tracker) answer(op *history.Op, name string) {
	switch {
	case op.F == history.Release:
		t.drop(op.Lease)
	case op.F == history.Ask && op.Type == history.Fail && op.Refused == history.ByClient:
		t.phase(op, Over)
	case op.Type != history.OK:
	case op.F == history.Acquire, op.F == history.Try:
		t.grant(op, name)
	case op.F == history.Ask, op.F == history.Renew:
		t.told(op)
	case op.F == history.Upgrade:
		t.change(op.Lease, func(l *Lease) { l.Mode = "" })
	case op.F == history.Downgrade:
		t.change(op.Lease, func(l *Lease) { l.Mode = history.Shared })
	}
}

func (t *Tracker) grant(op *history.Op, name string) {
	if op.Lease == 0 {
		return
	}
	if op.Owner() != "" {
		t.owners[owned{op.Lock, op.Owner()}] = holding{name, op.Lease}
		t.recognise(op, name)
	}
	l := Lease{Number: op.Lease, Lock: op.Lock, Mode: op.Mode, Permits: op.Permits, Token: op.Token, Granted: op.Time, Since: op.Time}
	l.Least, l.Most = op.Validity()
	for place := 0; ; place++ {
		i, known := t.at(Subject{Kind: Holds, Name: name, Place: place})
		if !known || t.values[i].(Lease).Number == 0 {
			t.leases[op.Lease] = i
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

func (t *Tracker) phase(op *history.Op, p Phase) {
	t.change(op.Lease, func(l *Lease) {
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

// die drops all leases of a client: its process knows nothing any more.
func (t *Tracker) die(name string) {
	for place := 0; ; place++ {
		i, ok := t.index[Subject{Kind: Holds, Name: name, Place: place}]
		if !ok {
			return
		}
		t.drop(t.values[i].(Lease).Number)
	}
}
