package server

import (
	"errors"
	"slices"
	"strings"
)

// ErrRefused says that a command is not simulated.
var ErrRefused = errors.New("not simulated")

// refused says why a command is not simulated; "" if it is. docs/explore.md has the list.
func (c command) refused(args [][]byte) string {
	switch c.name {
	case "MONITOR":
		return "the simulation speaks to the server, too, and would be heard"
	case "SYNC", "PSYNC", "REPLICAOF", "SLAVEOF", "FAILOVER":
		return "there is no replication"
	case "SHUTDOWN", "DEBUG":
		return "the server belongs to the simulation; faults restart and stop it"
	}
	if c.name == "CLIENT" && slices.Contains([]string{"PAUSE", "REPLY", "KILL", "UNBLOCK"}, c.arg) {
		return "CLIENT " + c.arg + " changes how connections are served; faults hold, drop and reset what is sent"
	}
	if c.name == "CLIENT" && (c.arg == "INFO" || c.arg == "LIST" || has(args, "REDIRECT")) {
		return "CLIENT " + c.arg + " goes by the server's own numbers of connections, which differ from run to run"
	}
	return ""
}

// has tells whether an argument is there, in whatever case.
func has(args [][]byte, what string) bool {
	return slices.ContainsFunc(args, func(a []byte) bool { return strings.EqualFold(string(a), what) })
}

// waits tells of a command whose answer can wait. Within MULTI and scripts it does not.
func waits(name string, args [][]byte) bool {
	switch name {
	case "BLPOP", "BRPOP", "BLMOVE", "BRPOPLPUSH", "BLMPOP", "BZPOPMIN", "BZPOPMAX", "BZMPOP", "WAIT", "WAITAOF":
		return true
	case "XREAD", "XREADGROUP":
		return has(args, "BLOCK")
	}
	return false
}

// subscribes tells of commands that are answered by pushes alone.
func (c command) subscribes() bool { return strings.HasSuffix(c.name, "SUBSCRIBE") }

// tracks tells of the command after which a server pushes what has changed.
func (c command) tracks() bool { return c.name == "CLIENT" && c.arg == "TRACKING" }
