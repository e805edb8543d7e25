package server

import (
	"errors"
	"slices"
	"strings"
)

// ErrRefused reports a command that is not simulated.
var ErrRefused = errors.New("not simulated")

// refused returns the reason why a command is not simulated; "" if the command is simulated.
// docs/explore.md lists the commands.
func (c command) refused(args [][]byte) string {
	switch c.name {
	case "MONITOR":
		return "it would show the simulation's own commands"
	case "SYNC", "PSYNC", "REPLICAOF", "SLAVEOF", "FAILOVER":
		return "there is no replication"
	case "SHUTDOWN", "DEBUG":
		return "the simulation controls the server; faults restart and stop it"
	}
	if c.name == "CLIENT" && slices.Contains([]string{"PAUSE", "REPLY", "KILL", "UNBLOCK"}, c.arg) {
		return "CLIENT " + c.arg + " changes the handling of connections; faults hold, drop and reset messages"
	}
	if c.name == "CLIENT" && (c.arg == "INFO" || c.arg == "LIST" || has(args, "REDIRECT")) {
		return "CLIENT " + c.arg + " uses the server's connection numbers, which differ from run to run"
	}
	return ""
}

// has reports whether args contains a word, in either case.
func has(args [][]byte, what string) bool {
	return slices.ContainsFunc(args, func(a []byte) bool { return strings.EqualFold(string(a), what) })
}

// waits reports whether the server may delay the answer of a command. Within MULTI and scripts it
// never does.
func waits(name string, args [][]byte) bool {
	switch name {
	case "BLPOP", "BRPOP", "BLMOVE", "BRPOPLPUSH", "BLMPOP", "BZPOPMIN", "BZPOPMAX", "BZMPOP", "WAIT", "WAITAOF":
		return true
	case "XREAD", "XREADGROUP":
		return has(args, "BLOCK")
	}
	return false
}

// subscribes reports whether the server answers a command with pushes only.
func (c command) subscribes() bool { return strings.HasSuffix(c.name, "SUBSCRIBE") }

// tracks reports whether a command makes the server push changes of keys.
func (c command) tracks() bool { return c.name == "CLIENT" && c.arg == "TRACKING" }
