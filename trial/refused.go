package trial

import "fmt"

// A RefusedError says why what was asked for is not possible. Nobody but the
// asker can do anything about it.
type RefusedError struct {
	Setting string // of which it is the value, "schedule s.jsonl"; "" if it is none's
	Why     string
}

func (e *RefusedError) Error() string { return e.Setting + e.Why }

// refuse is an error about the value of a setting; what follows begins with a colon or a
// blank.
func refuse(setting, format string, args ...any) error {
	return &RefusedError{setting, fmt.Sprintf(format, args...)}
}
