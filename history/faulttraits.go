package history

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"locktorture/internal/wire"
)

// FaultTraits are the declared properties of a kind of fault on which a verdict or a drawing
// depends. Every entry of a fault carries them, so that a reader of a history need not know faults
// by name.
type FaultTraits struct {
	// Effect names the state of the victim during the fault.
	Effect Effect `json:"effect,omitempty"`

	// TakesLocks reports that the servers may drop a lock which its holder still believes to have,
	// or may keep a copy of a lock that was released.
	TakesLocks bool `json:"takes_locks,omitempty"`
	// LeavesCopies reports that servers outside the majority may keep a lock which the others have
	// released.
	LeavesCopies bool `json:"leaves_copies,omitempty"`
	// UpsetsAll reports that the fault strikes one client and may disturb others as well.
	UpsetsAll bool `json:"upsets_all,omitempty"`
	// Unplanned reports that the fault was not injected: a server failed by itself or was slow.
	Unplanned bool `json:"unplanned,omitempty"`

	// Rate is the speed of the clocks that the fault changed, relative to a correct clock. 0 means
	// that they run at the normal speed.
	Rate float64 `json:"rate,omitempty"`

	// SeenLate is the longest time, in nanoseconds, from the moment the fault strikes until its
	// effect is observed.
	SeenLate time.Duration `json:"seen_late,omitempty"`
	// Ahead is the longest time, in nanoseconds, by which the fault may take locks away before its
	// effect is observed.
	Ahead time.Duration `json:"ahead,omitempty"`
}

// An Effect names the state of a fault's victim (wire.Effect).
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

// appendTraits appends the traits as encoding/json would: their fields with a zero value are left
// out.
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
	if len(b) > first { // every field starts with a comma, the first must not
		b = append(b[:first], b[first+1:]...)
	}
	return append(b, '}')
}

// appendTrue appends a field that is true, and nothing for false.
func appendTrue(b []byte, name string, v bool) []byte {
	if !v {
		return b
	}
	return strconv.AppendBool(append(b, name...), v)
}
