package trial

import (
	"fmt"
	"strings"

	"locktorture/checker"
	"locktorture/history"
	"locktorture/internal/plainfile"
	"locktorture/internal/suggest"
	"locktorture/locks/driver"
)

// unreached returns the error of a user's driver that got no answer from its service in the whole
// run: nearly every request has an unknown outcome, and none was granted or refused. The checker
// alone would see a lock that is never free.
func unreached(name string, c checker.Counts, d *Dir) error {
	if name == "" || c.Grants > 0 || c.Refused > 0 || c.Unknown <= c.Ops/2 {
		return nil
	}
	return &driver.Error{
		Name: name, Err: fmt.Errorf("%d of its %d operations had an unknown outcome, and none was granted: %s", c.Unknown, c.Ops, firstError(d)),
		Said: lastWords(d.clientLog(1)), Next: "check that the driver can reach its service; the addresses are in the request 'open' and in TORTURE_ENDPOINTS",
	}
}

// firstError returns the error of the first operation that failed.
func firstError(d *Dir) string {
	const none = "it gives no reason"
	file, err := plainfile.OpenIn(d.Path, "history.jsonl")
	if err != nil {
		return none
	}
	defer file.Close()
	r, err := history.NewReader(file)
	for err == nil {
		var op history.Op
		if op, err = r.Next(); err == nil && op.Error != "" {
			return suggest.Short(op.Error, 200)
		}
	}
	return none
}

// lastWords returns the last lines of a log, indented; "" if there is none.
func lastWords(path string) string {
	text, err := plainfile.Read(path, plainfile.Data) // the file of a driver is at most 4 MiB
	if err != nil {
		return ""
	}
	const most = 5
	lines := strings.Split(strings.TrimSpace(strings.ToValidUTF8(string(text), "?")), "\n")
	for i, line := range lines {
		lines[i] = "  " + suggest.Short(line, 200)
	}
	return strings.Join(lines[max(0, len(lines)-most):], "\n")
}
