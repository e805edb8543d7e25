package history

import "strings"

// An Op has fields that mean one thing in one kind of entry and another in the next: Key,
// Value, UntilMin, UntilMax. The methods below read and write them by their meaning;
// docs/history.md has the whole table.

// Kind returns the kind of fault in the entry of a fault, which is the name of its nemesis
// ("pause").
func (op *Op) Kind() string { return op.Key }

// Seen returns the effect that was observed when the fault struck.
func (op *Op) Seen() string { return op.Value }

// Owner returns the value under which servers store the lock, in a grant and in a probe. "" means
// that the owner is unknown in a grant, and that the lock is free in a probe.
func (op *Op) Owner() string { return op.Value }

// Who returns the party that counts a latch down.
func (op *Op) Who() string { return op.Value }

// Candidate returns the candidate's value in the invocation of an acquire of mode Campaign.
func (op *Op) Candidate() string { return op.Value }

// Leader returns the leader's value in an ok Observe, or "" if there is no leader.
func (op *Op) Leader() string { return op.Value }

// Why returns the reason why the run ended, in its End.
func (op *Op) Why() string { return op.Value }

// Nodes returns the names in Node: the server of a probe, or the clients ("c2") and servers that a
// fault strikes.
func (op *Op) Nodes() []string {
	if op.Node == "" {
		return nil
	}
	return strings.Split(op.Node, ",")
}

// JoinNodes returns the text of an Op.Node with these names.
func JoinNodes(names []string) string { return strings.Join(names, ",") }

// Validity returns the earliest and the latest end of the validity that an ok Ask reported. The
// earliest is counted from before the question, the latest from after the reply. Both are Never for
// a lease without end, and 0 if the lock reported none.
func (op *Op) Validity() (least, most int64) { return op.UntilMin, op.UntilMax }

// SetValidity sets the earliest and the latest end of the validity in an ok Ask.
func (op *Op) SetValidity(least, most int64) { op.UntilMin, op.UntilMax = least, most }

// Expiry returns the expiry of the lease that a probe saw, or Never if the server shows none.
func (op *Op) Expiry() int64 { return op.UntilMax }

// SetExpiry sets the expiry that a probe saw.
func (op *Op) SetExpiry(at int64) { op.UntilMax = at }

// Began returns the start of an event that is recorded later than it starts: a fault before its
// effect was observed, a loss before its holder noticed, a kill before the process had exited, a
// stall before the harness ran again, a probe before the answer. ok is false if the entry does not
// record a start.
func (op *Op) Began() (at int64, ok bool) {
	return min(op.UntilMin, op.Time), op.UntilMin > 0 || op.F == Stall
}

// SetBegan sets the start of an event. 0 means unknown, except for a stall, which may start with
// the run.
func (op *Op) SetBegan(at int64) { op.UntilMin = at }

// Owners returns the values under which the lock was stored at a probe: one for each holder, none
// if the lock is free.
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
