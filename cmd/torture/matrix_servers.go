package main

import (
	"os"

	"github.com/spf13/cobra"

	theirs "locktorture/cluster/external"
	"locktorture/internal/exit"
	"locktorture/matrix"
	"locktorture/registry"
	"locktorture/runs"
)

// servers checks what the flags say about servers, and puts it into the arguments and the
// environment of the runs.
func (s matrixSpec) servers(cmd *cobra.Command, c *matrix.Config) error {
	if err := s.ServerSpec.Check(""); err != nil {
		return err
	}
	if err := s.AccessSpec.Check(); err != nil {
		return err
	}
	x, err := s.AccessSpec.Read(cmd.Context(), s.Cluster, runs.OnCommandLine(cmd, "endpoints"))
	if err != nil {
		return err
	}
	c.Args = append([]string{"--cluster", s.Cluster}, s.ImageWords()...)
	c.Env = environmentOf(x)
	if s.Cluster != registry.Theirs {
		return nil
	}
	if len(s.KeyPrefix) > runs.LongestPrefix-len("12345678:") {
		return exit.Usage("--key-prefix %q: too long; each run adds nine characters to this prefix", s.KeyPrefix)
	}
	c.Args = append(c.Args, s.AccessSpec.Words(x)...)
	c.KeyPrefix = s.KeyPrefix
	return s.oneTopology(c)
}

// oneTopology refuses locks that the user's servers cannot serve. All must run on one
// topology: there is one list of endpoints.
func (s matrixSpec) oneTopology(c *matrix.Config) error {
	for _, name := range c.Backends {
		b, first := c.Locks[name], c.Locks[c.Backends[0]]
		switch {
		case b.Driver != nil:
			return exit.Usage("--cluster %s: %s: %s", registry.Theirs, name, registry.NotForDrivers)
		case b.Serve != nil:
			return exit.Usage("--cluster %s: %s has no servers", registry.Theirs, name)
		case b.Topology != first.Topology:
			return exit.Usage("--cluster %s: the endpoints have one topology, but %s runs on %s and %s on %s; choose --backends of one topology",
				registry.Theirs, c.Backends[0], first.Topology, name, b.Topology)
		}
		if err := theirs.Serves(b.Topology); err != nil {
			return exit.Usage("--cluster %s: %v", registry.Theirs, err)
		}
	}
	return nil
}

// environmentOf returns the environment of a run. A login from a DSN is passed there and
// nowhere else.
func environmentOf(x registry.External) []string {
	env := os.Environ()
	if x.User != "" {
		env = append(env, runs.UserEnv+"="+x.User)
	}
	if x.Password != "" {
		env = append(env, runs.PasswordEnv+"="+x.Password)
	}
	return env
}
