package history

import (
	"errors"
	"fmt"
)

// A Hold is one holder, as a probe saw it, of a lock that several clients can hold.
type Hold struct {
	Owner   string `json:"owner"`             // the value under which the server keeps it, as in its grant
	Mode    string `json:"mode,omitempty"`    // Shared, Permits; "": the whole lock
	Permits int    `json:"permits,omitempty"` // ≥ 1, of mode Permits
	Until   int64  `json:"until,omitempty"`   // the expiry that the server shows, Never if it shows none
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

// appendHolds appends the holds as encoding/json would: an empty list is written too, because
// it means that nobody holds the lock.
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
