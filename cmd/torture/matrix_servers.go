package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"os"

	theirs "locktorture/cluster/external"
	"locktorture/report/scorecard"
)

// settleServers checks what the flags say about servers. On those of the user's all locks must run on one
// topology: there is one list of endpoints. named tells that it stands on the command line.
func (s *matrixSpec) settleServers(ctx context.Context, named bool) error {
	if err := s.serverSpec.check(""); err != nil {
		return err
	}
	if err := s.accessSpec.check(); err != nil {
		return err
	}
	if err := s.complete(ctx, s.Cluster, named); err != nil || s.Cluster != externalCluster {
		return err
	}
	if len(s.KeyPrefix) > longestPrefix-len("12345678:") {
		return usage("--key-prefix %q: too long, each run adds nine characters", s.KeyPrefix)
	}
	all := backends()
	for _, name := range s.Backends {
		b, first := all[name], all[s.Backends[0]]
		switch {
		case b.Driver != nil:
			return usage("--cluster %s: %s: %s", externalCluster, name, notForDrivers)
		case b.Serve != nil:
			return usage("--cluster %s: %s has no servers", externalCluster, name)
		case b.Topology != first.Topology:
			return usage("--cluster %s: the endpoints are of one topology, and %s runs on %s, %s on %s; name --backends of one",
				externalCluster, s.Backends[0], first.Topology, name, b.Topology)
		}
		if err := theirs.Serves(b.Topology); err != nil {
			return usage("--cluster %s: %v", externalCluster, err)
		}
	}
	return nil
}

// theirs are the arguments by which a run gets into the user's servers. Where the user names a prefix each run has
// one of its own below it, so that it removes the keys of no other.
func (s *matrixSpec) theirs(t scorecard.Try) []string {
	if s.Cluster != externalCluster {
		return nil
	}
	words := s.accessSpec.words()
	if s.KeyPrefix != "" {
		h := fnv.New32a()
		fmt.Fprint(h, keyOf(t))
		words = append(words, "--key-prefix", fmt.Sprintf("%s%08x:", s.KeyPrefix, h.Sum32()))
	}
	return words
}

// environment is that of a run: a login that stood in a DSN is told there, and nowhere else.
func (s *matrixSpec) environment() []string {
	env := os.Environ()
	if s.user != "" {
		env = append(env, userEnv+"="+s.user)
	}
	if s.password != "" {
		env = append(env, passwordEnv+"="+s.password)
	}
	return env
}
