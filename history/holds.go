package history

import (
	"errors"
	"fmt"
)

// A Hold is one holder that a probe saw, for a lock that several clients can hold.
type Hold struct {
	// Owner is the value under which the server stores the hold, equal to the owner in its grant.
	Owner string `json:"owner"`
	// Mode is Shared or Permits, and "" for the whole lock.
	Mode string `json:"mode,omitempty"`
	// Permits is the number of permits held, ≥ 1 in mode Permits and 0 otherwise.
	Permits int `json:"permits,omitempty"`
	// Until is the expiry that the server shows, or Never if it shows none.
	Until int64 `json:"until,omitempty"`
}

// checkHolds returns an error if the holds of a probe contradict each other.
func checkHolds(op *Op) error {
	switch {
	case op.Holds == nil:
		return nil
	case op.F != Probe:
		return fmt.Errorf("%s with holds", op.F)
	case op.Value != "" || op.UntilMax != 0:
		return errors.New("probe of holds and of one owner")
	}
	seen := map[string]bool{}
	for _, h := range op.Holds {
		switch {
		case h.Owner == "":
			return errors.New("hold without an owner")
		case seen[h.Owner]:
			return fmt.Errorf("two holds of %q", h.Owner)
		case h.Mode != "" && h.Mode != Shared && h.Mode != Permits:
			return fmt.Errorf("hold of unknown mode %q", h.Mode)
		case (h.Mode == Permits) != (h.Permits > 0):
			return fmt.Errorf("hold of %d permits with mode %q", h.Permits, h.Mode)
		}
		seen[h.Owner] = true
	}
	return nil
}

// appendHolds appends the holds as encoding/json would. It writes an empty list too, because an
// empty list states that the lock is free, and nil states nothing.
func appendHolds(b []byte, holds []Hold) []byte {
	if holds == nil {
		return b
	}
	b = append(b, `,"holds":[`...)
	for i, h := range holds {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendQuoted(append(b, `{"owner":`...), h.Owner)
		b = appendString(b, `,"mode":`, h.Mode)
		b = appendInt(b, `,"permits":`, int64(h.Permits))
		b = appendInt(b, `,"until":`, h.Until)
		b = append(b, '}')
	}
	return append(b, ']')
}
