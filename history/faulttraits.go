package history

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"locktorture/internal/wire"
)

// FaultTraits are the declared properties of a kind of fault on which a verdict or a drawing
// depends. Each fault's entries carry them, so that a judge of a history need not know faults
// by name.
type FaultTraits struct {
	Effect Effect `json:"effect,omitempty"` // what becomes of its victim

	TakesLocks   bool `json:"takes_locks,omitempty"`   // servers may give up a lock that its holder still has, or leave a copy of one that was given up
	LeavesCopies bool `json:"leaves_copies,omitempty"` // servers that no longer count may go on keeping what the others gave up
	UpsetsAll    bool `json:"upsets_all,omitempty"`    // it strikes one client, and others may suffer for it
	Unplanned    bool `json:"unplanned,omitempty"`     // it was not injected: a server failed by itself, or was slow

	Rate float64 `json:"rate,omitempty"` // how fast the clocks that it moved run; 0: as fast as others

	SeenLate time.Duration `json:"seen_late,omitempty"` // ns: how long after it struck its effect may be seen
	Ahead    time.Duration `json:"ahead,omitempty"`     // ns: how long before its effect is seen the fault may already have taken locks away
}

// An Effect is the effect of a fault on its victim (wire.Effect).
type Effect = wire.Effect

// The effects.
const (
	Stopped, Killed = wire.Stopped, wire.Killed
	Held, Slowed    = wire.Held, wire.Slowed
	Cut, Skewed     = wire.Cut, wire.Skewed
	Down, Demoted   = wire.Down, wire.Demoted
)

// FaultTraits returns the declared traits of the fault in this entry. For a history from before
// faults declared themselves, it returns the known traits of the fault's kind.
func (op *Op) FaultTraits() FaultTraits {
	if op.Traits != nil {
		return *op.Traits
	}
	return FormerFault(op.Key)
}

// check returns an error for an unknown effect or a negative time.
func (t *FaultTraits) check() error {
	if !t.Effect.Known() {
		return fmt.Errorf("unknown effect %q of a fault", t.Effect)
	}
	if t.SeenLate < 0 || t.Ahead < 0 || t.Rate < 0 {
		return errors.New("seen_late, ahead and rate of a fault must not be negative")
	}
	return nil
}

// appendTraits appends the traits as encoding/json would.
func appendTraits(b []byte, t *FaultTraits) []byte {
	if t == nil {
		return b
	}
	b = append(b, `,"traits":{`...)
	first := len(b)
	b = appendString(b, `,"effect":`, string(t.Effect))
	b = appendTrue(b, `,"takes_locks":`, t.TakesLocks)
	b = appendTrue(b, `,"leaves_copies":`, t.LeavesCopies)
	b = appendTrue(b, `,"upsets_all":`, t.UpsetsAll)
	b = appendTrue(b, `,"unplanned":`, t.Unplanned)
	if t.Rate != 0 {
		b = strconv.AppendFloat(append(b, `,"rate":`...), t.Rate, 'f', -1, 64)
	}
	b = appendInt(b, `,"seen_late":`, int64(t.SeenLate))
	b = appendInt(b, `,"ahead":`, int64(t.Ahead))
	if len(b) > first { // the first comma is one too many
		b = append(b[:first], b[first+1:]...)
	}
	return append(b, '}')
}

func appendTrue(b []byte, name string, v bool) []byte {
	if !v {
		return b
	}
	return strconv.AppendBool(append(b, name...), v)
}
