package checker

import "locktorture/history"

// A rule looks for anomalies in the history of one lock. It is asked once for each piece of
// that history, in order, and keeps in its own fields what a later piece has to be compared
// with: the fold forgets each piece.
type rule interface {
	check(p *piece)
}

// A base holds what every rule works with.
type base struct {
	run   *survey   // what the first reading found of the whole run
	found *findings // of the lock
}

// A piece is the history of a lock between two moments at which nobody holds it and nothing
// but waits is under way. No later entry can change what happened in it.
type piece struct {
	*lockView
	calls  []*wait // the acquires and tries that have ended since the last piece
	before int64   // every call that was made before this moment is in this piece or an earlier one
	last   bool    // the history ends with it

	tenures []*tenure   // those that were over before that moment, and at the end the last one
	looks   []leaseLook // at servers, before that moment

	listings []*history.Op // looks at all who hold the lock, before that moment
}

// rules returns the rules for one lock, in the order in which they are asked.
func rules(b base, t *totals, mattered map[int]bool) []rule {
	if b.run.o.Kind == barrierKind {
		return []rule{&voidGrant{base: b}}
	}
	return []rule{
		&doubleGrant{base: b},
		&overCapacity{base: b},
		&voidGrant{base: b},
		&lateNotice{base: b},
		newOverrun(b),
		&tokenRegression{base: b},
		&tokenDuplicate{base: b},
		&tokenChanged{base: b},
		&staleAccepted{base: b},
		&fenceLockout{base: b, totals: t},
		&foreignRelease{base: b},
		newDeadlock(b),
		&upgradeDeadlock{b},
		&orphan{base: b},
		newImmortal(b),
		newListedHolds(b),
		&falseValidity{base: b, short: map[*lease]*shortfall{}},
		&selfDeadlock{base: b},
		&bites{run: b.run, of: map[int]*bite{}, bit: mattered},
	}
}
