package history

import (
	"errors"
	"fmt"
)

// checkMode checks the mode of an acquire and the number of parties of a latch or a barrier.
// Permits and parties are allowed only in entries of their mode, so that a request is unambiguous.
// A candidate must have a value, because observers learn of the leader by its value.
func checkMode(op *Op) error {
	if op.F == Job {
		return checkJob(op)
	}
	if op.Permits != 0 || op.Capacity != 0 {
		if op.Mode != Permits {
			return fmt.Errorf("permits without mode %q", Permits)
		}
	}
	parties := op.Mode == Party
	switch op.F {
	case SetCount, CountDown, Await:
		parties = true
	}
	if parties != (op.Parties > 0) {
		return fmt.Errorf("%s of %d parties", op.F, op.Parties)
	}
	switch op.Mode {
	case "", Shared, Party, Campaign:
	case Permits:
		if op.Permits < 1 || op.Capacity < op.Permits {
			return fmt.Errorf("%d permits of %d", op.Permits, op.Capacity)
		}
	default:
		return fmt.Errorf("unknown mode %q", op.Mode)
	}
	if op.Mode == Campaign && op.Type == Invoke && op.Value == "" {
		return errors.New("campaign without a value")
	}
	if op.Mode != "" && op.F != Acquire && op.F != Try {
		return fmt.Errorf("%s with mode %q", op.F, op.Mode)
	}
	return nil
}
