package matrix

import (
	"slices"
	"strings"

	"locktorture/internal/exit"
	"locktorture/internal/suggest"
	"locktorture/report/scorecard"
	"locktorture/report/words"
)

// adopt takes over the tries of an earlier execution that belong to this plan,
// with their retries. A failure of the harness or of a driver is tried again.
func (m *Matrix) adopt(earlier []scorecard.Try) error {
	cells := map[[3]string]bool{}
	planned := map[tryKey]bool{}
	for _, t := range m.plan {
		cells[[3]string{t.Backend, t.Nemesis, t.Workload}] = true
		planned[keyOf(t)] = true
	}
	if err := m.config.covers(cells, earlier); err != nil {
		return err
	}
	for _, t := range earlier {
		if !cells[[3]string{t.Backend, t.Nemesis, t.Workload}] {
			continue
		}
		p := m.config.try(t.Backend, t.Nemesis, t.Workload, t.Seed)
		if !slices.Equal(p.Args, t.Args) {
			return exit.Usage("--resume: %s %s %s was run with other flags: %q, now %q", t.Backend, t.Nemesis, t.Workload, t.Args, p.Args)
		}
		if !planned[keyOf(t)] {
			planned[keyOf(t)] = true
			m.plan = append(m.plan, p)
		}
		if !scorecard.Broken(t.State) {
			m.done[keyOf(t)] = t
		}
	}
	return nil
}

// covers returns an error where the directory has cells that the flags do not name: its table
// and its page would be written without them. A recorded cell is not planned again.
func (c Config) covers(cells map[[3]string]bool, earlier []scorecard.Try) error {
	if c.Record != "" {
		return nil
	}
	var left []string
	for _, t := range earlier {
		name := t.Backend + " " + t.Nemesis + " " + t.Workload
		if !cells[[3]string{t.Backend, t.Nemesis, t.Workload}] && !slices.Contains(left, name) {
			left = append(left, name)
		}
	}
	if len(left) == 0 {
		return nil
	}
	return exit.Usage("--resume: %s has %s that these flags do not name, and its table would lose them: %s; name their --backends, --nemeses and --workloads too, or use another --out",
		c.Out, words.Plural(len(left), "cell", "cells"), suggest.Short(strings.Join(left, ", "), 200))
}
