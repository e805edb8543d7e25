package state

import "locktorture/history"

// ownKeys is how many keys of a store are followed one by one. Of all others the last write
// is.
const ownKeys = 6

// store takes the answer to a write. Of one whose outcome is unknown nothing is.
func (t *Tracker) store(op *history.Op) {
	if op.Store == "" || op.Type != history.OK {
		return
	}
	name := nameOf(op)
	if op.F == history.Write || op.F == history.CAS {
		t.wrote(op, name)
	}
	if op.Store != history.Fenced || op.Token == 0 {
		return
	}
	i, known := t.at(Subject{Kind: Marks, Name: op.Store})
	if !known || t.values[i].(Mark).Token < op.Token {
		t.set(i, Mark{Token: op.Token, By: name, Lease: op.Lease, At: op.Time})
	}
}

func (t *Tracker) wrote(op *history.Op, name string) {
	s := Subject{Kind: Stores, Name: op.Store, Of: op.Key}
	if _, known := t.index[s]; !known {
		if t.keys[op.Store] == ownKeys {
			s.Of = ""
		} else {
			t.keys[op.Store]++
		}
	}
	i, known := t.at(s)
	if known && op.Apply < t.values[i].(Cell).Apply {
		return // it was applied earlier, and its answer came later
	}
	t.set(i, Cell{Key: op.Key, Value: op.Value, By: name, Lease: op.Lease, Token: op.Token, Apply: op.Apply, At: op.Time})
}
