package history

import "strings"

// An Op has fields that mean one thing in one kind of entry and another in the next: Key,
// Value, UntilMin, UntilMax. The methods below read and write them by their meaning;
// docs/history.md has the whole table.

// Kind returns the kind of a fault, in its entries: the name of its nemesis ("pause").
func (op *Op) Kind() string { return op.Key }

// Seen returns the observed effect of a fault when it struck.
func (op *Op) Seen() string { return op.Value }

// Owner returns the value under which servers keep the lock, in a grant and in a probe; "" is
// unknown in a grant, nobody in a probe.
func (op *Op) Owner() string { return op.Value }

// Who returns the party of a count-down.
func (op *Op) Who() string { return op.Value }

// Candidate returns the candidate's value, in the invocation of an acquire of mode Campaign.
func (op *Op) Candidate() string { return op.Value }

// Leader returns the leader's value, in an ok Observe; "" if there is none.
func (op *Op) Leader() string { return op.Value }

// Why returns the reason why the run ended, in its End.
func (op *Op) Why() string { return op.Value }

// Nodes returns the names in Node: the server of a probe, the clients ("c2") and servers that a
// fault strikes.
func (op *Op) Nodes() []string {
	if op.Node == "" {
		return nil
	}
	return strings.Split(op.Node, ",")
}

// JoinNodes returns the Node of an entry with these names.
func JoinNodes(names []string) string { return strings.Join(names, ",") }

// Validity returns the bounds of the end of the validity, from an ok Ask: the earliest, counted
// from before the question, and the latest, counted from after the reply. Both are Never for a
// lease without end, and 0 if the lock reported none.
func (op *Op) Validity() (least, most int64) { return op.UntilMin, op.UntilMax }

// SetValidity sets the bounds of the validity in an ok Ask.
func (op *Op) SetValidity(least, most int64) { op.UntilMin, op.UntilMax = least, most }

// Expiry returns the expiry of the lease that a probe saw, as the server shows it; Never if it
// shows none.
func (op *Op) Expiry() int64 { return op.UntilMax }

// SetExpiry sets the expiry that a probe saw.
func (op *Op) SetExpiry(at int64) { op.UntilMax = at }

// Began returns the start of an event that is recorded later: of a fault before its effect was
// seen, a loss before its holder noticed, a kill before the process was gone, a stall before
// the harness ran again, a look at a server before the answer. ok is false if the entry does
// not record it.
func (op *Op) Began() (at int64, ok bool) {
	return min(op.UntilMin, op.Time), op.UntilMin > 0 || op.F == Stall
}

// SetBegan sets the start of an event. 0 means unknown, except for a stall.
func (op *Op) SetBegan(at int64) { op.UntilMin = at }

// Owners returns the values under which a probe saw the lock kept: of its owner, or of all who
// hold it; none if it is free.
func (op *Op) Owners() []string {
	if op.Holds == nil && op.Value != "" {
		return []string{op.Value}
	}
	var all []string
	for _, h := range op.Holds {
		all = append(all, h.Owner)
	}
	return all
}
