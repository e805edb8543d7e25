package main

import (
	"github.com/spf13/cobra"

	"locktorture/internal/cli"
)

// groupsOf are the groups of a command's flags: those of torture run are too many to stand
// together.
func groupsOf(cmd *cobra.Command) []cli.Group {
	switch {
	case takesAll(cmd):
		return runGroups()
	case cmd.Name() == "replay":
		return replayGroups()
	case cmd.Name() == "confirm":
		return confirmGroups()
	}
	return nil
}

// runGroups are the flags of torture run, in the order in which one thinks of them.
func runGroups() []cli.Group {
	return []cli.Group{
		{Title: "What to test", Flags: []string{"backend", "driver", "option", "workload", "ttl", "fencing", "careful", "seed"}},
		{Title: "Faults", Flags: []string{"nemesis", "duration", "schedule"}},
		{Title: "Load", Flags: []string{"clients", "in-process", "locks", "keys", "hot", "hold", "long-hold", "think", "arrivals", "sections", "wait", "store"}},
		{Title: "Servers", Flags: []string{"cluster", "topology", "image"}},
		{Title: "Servers of your own", Flags: []string{"endpoints", "user-file", "password-file", "database", "key-prefix", "sentinel-master",
			"tls", "tls-ca", "tls-cert", "tls-key", "tls-server-name"}},
		{Title: "Judging", Flags: []string{"expect", "min-grants", "free-within", "stop-on-violation", "check-timeout", "check-memory", "repeat", "until-fail"}},
		{Title: "Output", Flags: []string{"dir", "history-limit", "wire", "ledger", "json", "quiet"}},
	}
}
