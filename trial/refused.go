package trial

import "fmt"

// A RefusedError reports an impossible request. Only a change of the request helps.
type RefusedError struct {
	Setting string // the setting with its value: "schedule s.jsonl"; "" if no setting is to blame
	Why     string
}

func (e *RefusedError) Error() string { return e.Setting + e.Why }

// refuse returns an error about the value of a setting. The text follows the setting directly,
// so it begins with a colon or a blank.
func refuse(setting, format string, args ...any) error {
	return &RefusedError{setting, fmt.Sprintf(format, args...)}
}
