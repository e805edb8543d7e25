package workloads

import (
	"context"
	"fmt"
	"math/rand/v2"

	"locktorture/internal/wire"
)

// A ConfigRollout distributes versions of a configuration to a few nodes: every node applies every
// version, in order, and the next version is published when all have applied the last. The keys of
// a lock:
//
//	<lock>/version   the version that is being rolled out, from 1
//	<lock>/node/<i>  the version that node i has applied
//
// A section is one step, which is one write: any prefix of it is harmless.
type ConfigRollout struct {
	Config
	Nodes int // default 3
}

var _ Workload = ConfigRollout{}

// VersionKey returns the key with the version that is being rolled out.
func VersionKey(lock string) string { return wire.Key(lock, "version") }

// NodeKey returns the key with the version that a node has applied. Nodes count from 1.
func NodeKey(lock string, node int) string { return wire.Key(lock, fmt.Sprintf("node/%d", node)) }

// nodes returns the number of nodes.
func (w ConfigRollout) nodes() int {
	if w.Nodes <= 0 {
		return 3
	}
	return w.Nodes
}

// Init publishes version 1, which no node has applied yet.
func (w ConfigRollout) Init(ctx context.Context, s Store) error {
	for node := 1; node <= w.nodes(); node++ {
		key := func(lock string) string { return NodeKey(lock, node) }
		if err := w.initAll(ctx, s, "config", key, "0"); err != nil {
			return err
		}
	}
	return w.initAll(ctx, s, "config", VersionKey, "1")
}

// Next draws the lock and the times.
func (w ConfigRollout) Next(r *rand.Rand, _ int) Section {
	lock, section := w.section(r, "config")
	section.Run = func(ctx context.Context, s Store) error {
		version, err := readInt(ctx, s, VersionKey(lock))
		if err != nil {
			return err
		}
		for node := 1; node <= w.nodes(); node++ {
			has, err := readInt(ctx, s, NodeKey(lock, node))
			if err != nil {
				return err
			}
			if has < version {
				return writeInt(ctx, s, NodeKey(lock, node), version)
			}
		}
		return writeInt(ctx, s, VersionKey(lock), version+1)
	}
	return section
}
