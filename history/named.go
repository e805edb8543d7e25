package history

import "strings"

// An Op has fields that mean one thing in one kind of entry and another in the next: Key,
// Value, UntilMin, UntilMax. What follows reads and writes them by what they mean;
// docs/history.md has the whole table.

// Kind is the kind of a fault, in its entries: the name of its nemesis ("pause").
func (op *Op) Kind() string { return op.Key }

// Seen is what was seen of a fault when it struck.
func (op *Op) Seen() string { return op.Value }

// Owner is the value under which servers keep the lock, in a grant and in a probe; "" is
// unknown in a grant, nobody in a probe.
func (op *Op) Owner() string { return op.Value }

// Who is the party that a count-down is of.
func (op *Op) Who() string { return op.Value }

// Candidate is the value of who campaigns, in the invocation of an acquire of mode Campaign.
func (op *Op) Candidate() string { return op.Value }

// Leader is the value of who leads, in an ok Observe; "" is nobody.
func (op *Op) Leader() string { return op.Value }

// Why is why the run ended, in its End.
func (op *Op) Why() string { return op.Value }

// Nodes are the names in Node: the server of a probe, the clients ("c2") and servers that a
// fault strikes.
func (op *Op) Nodes() []string {
	if op.Node == "" {
		return nil
	}
	return strings.Split(op.Node, ",")
}

// JoinNodes is the Node of an entry with these names.
func JoinNodes(names []string) string { return strings.Join(names, ",") }

// Validity is what an ok Ask told: the lease is over at least at the earliest, counted from
// before the question, and at most at the latest, counted from after the reply. Both are Never
// for one without end, 0 where nothing was told.
func (op *Op) Validity() (least, most int64) { return op.UntilMin, op.UntilMax }

// SetValidity makes it what an ok Ask told.
func (op *Op) SetValidity(least, most int64) { op.UntilMin, op.UntilMax = least, most }

// Expiry is when a server shows that it ends the lease that a probe saw, Never if it shows
// none.
func (op *Op) Expiry() int64 { return op.UntilMax }

// SetExpiry makes it the expiry that a probe saw.
func (op *Op) SetExpiry(at int64) { op.UntilMax = at }

// Began is when an event began that is told later, as far as its entry says: a fault before
// its effect was seen, a loss before its holder was told, a kill before the process was gone,
// a stall before the harness ran again, a look at a server before its answer was there. ok is
// false if it does not say.
func (op *Op) Began() (at int64, ok bool) {
	return min(op.UntilMin, op.Time), op.UntilMin > 0 || op.F == Stall
}

// SetBegan makes it the moment at which an event began; 0 says nothing of it, but of a stall.
func (op *Op) SetBegan(at int64) { op.UntilMin = at }

// Owners are the values under which a probe saw the lock kept: of its owner, or of all who
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
