// Package wire has the strings that one floor writes and another reads, each with both ends in
// one place.
package wire

import (
	"strconv"
	"strings"
)

// Owner is the beginning of every owner value that a client's process leaves on a server: "p7"
// for process 7. A lock adds ":" and what makes the value one of its kind.
func Owner(process int) string { return "p" + strconv.Itoa(process) }

// OwnerProcess reads the process out of an owner value, "p7:…". ok is false for one of another
// form.
func OwnerProcess(owner string) (process int, ok bool) {
	rest, p := strings.CutPrefix(owner, "p")
	number, _, colon := strings.Cut(rest, ":")
	if !p || !colon {
		return 0, false
	}
	process, err := strconv.Atoi(number)
	return process, err == nil
}
