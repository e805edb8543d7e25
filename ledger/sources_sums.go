package ledger

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"locktorture/cluster"
	"locktorture/internal/wire"
	"locktorture/nemesis"
	"locktorture/registry"
)

// Sums returns the sums of what a result of a lock depends on. An empty set of faults stands for
// a play of a script.
func (t *Sources) Sums(lock registry.Backend, faults string) (s Sums, err error) {
	if s.Lock, err = t.lock(lock); err != nil {
		return s, fmt.Errorf("the sources of %s: %w", lock.Name, err)
	}
	if s.Fault, err = t.fault(faults); err != nil {
		return s, fmt.Errorf("the sources of %s: %w", faults, err)
	}
	if s.Checker, err = t.checker(); err != nil {
		return s, fmt.Errorf("the sources of the checker: %w", err)
	}
	return s, nil
}

// Now returns the function that a ledger's book asks for the sums of a subject.
func (t *Sources) Now(locks map[string]registry.Backend) func(Subject) (Sums, error) {
	known := map[[2]string]Sums{}
	return func(s Subject) (Sums, error) {
		key := [2]string{s.Lock, s.Fault}
		if sums, ok := known[key]; ok {
			return sums, nil
		}
		b, ok := locks[s.Lock]
		if !ok {
			return Sums{}, nil // it is gone, or its runtime is not installed: stale
		}
		sums, err := t.Sums(b, s.Fault)
		known[key] = sums
		return sums, err
	}
}

// lock sums a lock up with its servers.
func (t *Sources) lock(b registry.Backend) (string, error) {
	e, err := t.entry(b.Name)
	if err != nil {
		return "", err
	}
	packages, modules, err := t.closure(e.packages...)
	if err != nil {
		return "", err
	}
	d := &digest{}
	for _, text := range append(e.texts, modules...) {
		d.text("registry", text)
	}
	for _, p := range packages {
		if err := d.files(t, p, every); err != nil {
			return "", err
		}
	}
	if err := t.drivers(d, b); err != nil {
		return "", err
	}
	if len(d.parts) == 0 {
		return "", fmt.Errorf("nothing in this checkout belongs to it")
	}
	if err := t.servers(d, b); err != nil {
		return "", err
	}
	return d.sum(), nil
}

// drivers adds the program of a lock that is one.
func (t *Sources) drivers(d *digest, b registry.Backend) error {
	if b.Program != "" {
		if err := t.program(d, "drivers/go/"+b.Program); err != nil {
			return err
		}
	}
	if b.Driver == nil {
		return nil
	}
	d.text("driver", fmt.Sprint(b.Driver.Command[1:], b.Driver.Options, b.Topology))
	for _, word := range b.Driver.Command {
		path := filepath.Join(b.Driver.Dir, word)
		if rel, err := filepath.Rel(t.root, path); err == nil && filepath.IsLocal(rel) && !filepath.IsAbs(word) && strings.Contains(word, "/") {
			if err := t.program(d, filepath.ToSlash(filepath.Dir(rel))); err != nil {
				return err
			}
		}
	}
	return nil
}

// started returns the folders that say how servers are started. A file there whose name begins
// with the kind of a server belongs to it, every other one to all.
func started() []string { return []string{"cluster", "cluster/server", "cluster/process"} }

// servers adds how the servers of a lock are started.
func (t *Sources) servers(d *digest, b registry.Backend) error {
	kinds := map[string]bool{}
	for _, topology := range []string{b.Topology, b.Replicated} {
		for _, need := range cluster.Topologies()[topology].Needs {
			kind, _, _ := strings.Cut(need, ":")
			kinds[kind] = true
		}
	}
	for _, folder := range started() {
		err := d.files(t, folder, func(name string) bool {
			kind, ok := kindOf(name)
			return ok && kinds[kind]
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// kindOf returns the kind of server that a file is about; false if it is about none.
func kindOf(name string) (kind string, ok bool) {
	for _, t := range cluster.Topologies() {
		for _, need := range t.Needs {
			need, _, _ = strings.Cut(need, ":")
			if strings.HasPrefix(name, need) {
				return need, true
			}
		}
	}
	return "", false
}

// fault sums up faults and the links that they are injected on.
func (t *Sources) fault(faults string) (string, error) {
	d := &digest{}
	if faults == "" {
		if err := d.files(t, "scenarios", every); err != nil {
			return "", err
		}
	} else if err := t.nemeses(d, wire.FaultKinds(faults)); err != nil {
		return "", err
	}
	err := d.files(t, "cluster", func(name string) bool {
		_, ok := kindOf(name)
		return !ok
	})
	return d.sum(), err
}

// nemeses adds the files of faults, and those that all faults share.
func (t *Sources) nemeses(d *digest, faults []string) error {
	others := map[string]bool{}
	for name := range maps.Keys(nemesis.All()) {
		others[strings.ReplaceAll(name, "-", "_")+".go"] = !slices.Contains(faults, name)
	}
	return d.files(t, "nemesis", func(name string) bool { return !others[name] })
}

// checker sums up what records and what judges.
func (t *Sources) checker() (string, error) {
	packages, _, err := t.closure("checker")
	if err != nil {
		return "", err
	}
	d := &digest{}
	for _, p := range append(packages, "harness", "workloads") {
		if err := d.files(t, p, every); err != nil {
			return "", err
		}
	}
	return d.sum(), nil
}
