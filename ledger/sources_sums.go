package ledger

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
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

// Now returns the function that a ledger's book asks for the sums of a subject. locks are all that there are,
// also those that cannot be run here: a sum needs no runtime.
func (t *Sources) Now(locks map[string]registry.Backend) func(Subject) (Sums, error) {
	known := map[[3]string]Sums{}
	return func(s Subject) (Sums, error) {
		key := [3]string{s.Kind, s.Lock, s.Fault}
		if sums, ok := known[key]; ok {
			return sums, nil
		}
		b, ok := locks[s.Lock]
		if !ok && s.Kind != Finding && s.Kind != Conform && s.Kind != App {
			return Sums{}, nil // it is gone: stale
		}
		b.Name = s.Lock
		sums, err := t.Of(s.Kind, b, s.Fault)
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
		d.text("program", b.Name) // which of its locks it opens
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

// topologies has an entry for each topology, which counts for the locks on it alone.
const topologies = "cluster/topology.go"

// fileAs returns how the names of the files about a kind of server begin.
func fileAs(need string) string {
	kind, _, _ := strings.Cut(need, ":")
	switch kind {
	case "versitygw", "gofakes3":
		return "s3"
	case "kube-apiserver":
		return "kubernetes"
	}
	return kind
}

// started returns the folders that say how servers are started. A file there whose name begins
// with the kind of a server belongs to it, and the others are shared by all.
func started() []string { return []string{"cluster", "cluster/server", "cluster/process"} }

// injectors are further folders that faults are injected with: the links, and the clocks of servers.
func injectors() []string {
	return []string{"cluster/toxiproxy", "cluster/process/clock", "cluster/process/clock/src"}
}

// servers adds how the servers of a lock are started.
func (t *Sources) servers(d *digest, b registry.Backend) error {
	kinds := map[string]bool{}
	table, err := t.read(topologies)
	if err != nil {
		return err
	}
	for _, topology := range []string{b.Topology, b.Replicated} {
		for _, value := range table.values(strconv.Quote(topology)) {
			d.text("topology", strings.Join(silent(value), "\n"))
		}
		for _, need := range cluster.Topologies()[topology].Needs {
			kinds[fileAs(need)] = true
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
			if kind := fileAs(need); strings.HasPrefix(name, kind) {
				return kind, true
			}
		}
	}
	return "", false
}

// fault sums up faults and what they are injected on: the links, and the processes and clocks of servers.
func (t *Sources) fault(faults string) (string, error) {
	d := &digest{}
	if faults == "" {
		if err := d.files(t, "scenarios", every); err != nil {
			return "", err
		}
	} else if err := t.nemeses(d, wire.FaultKinds(faults)); err != nil {
		return "", err
	}
	for _, folder := range append(started(), injectors()...) {
		err := d.silent(t, folder, func(name string) bool {
			_, ok := kindOf(name)
			return !ok && name != path.Base(topologies)
		})
		if err != nil {
			return "", err
		}
	}
	return d.sum(), nil
}

// catalogue has the list of all faults; a further one changes none of the others.
const catalogue = "all.go"

// nemeses adds the files of faults, and those that all faults share.
func (t *Sources) nemeses(d *digest, faults []string) error {
	paths, err := t.list("nemesis")
	if err != nil {
		return err
	}
	others := map[string]bool{catalogue: true}
	for name := range nemesis.All() {
		others[fileOfFault(paths, name)] = true
	}
	for _, name := range faults {
		delete(others, fileOfFault(paths, name))
	}
	return d.silent(t, "nemesis", func(name string) bool { return !others[name] })
}

// fileOfFault returns the name of the file that has a fault. Halves of a fault stand in the file of the
// whole: restart-empty in restart.go.
func fileOfFault(paths []string, name string) string {
	for part := strings.ReplaceAll(name, "-", "_"); part != ""; part = part[:max(0, strings.LastIndex(part, "_"))] {
		if slices.Contains(paths, "nemesis/"+part+".go") {
			return part + ".go"
		}
	}
	return ""
}

// foreign says which packages and files that the checker imports have no part in the verdict on a
// lock's run: those about the jobs of an app, and those that only put a verdict into words.
func foreign(path string) bool {
	switch path {
	case "checker/app", "internal/figures", "internal/plainfile",
		"checker/apps.go", "checker/headline.go", "timeline/jobs.go", "history/jobs.go", "harness/theirs.go":
		return true
	}
	return false
}

// checker sums up what records and what judges.
func (t *Sources) checker() (string, error) {
	packages, _, err := t.closure("checker")
	if err != nil {
		return "", err
	}
	d := &digest{}
	for _, p := range append(packages, "harness", "workloads") {
		if foreign(p) {
			continue
		}
		if err := d.silent(t, p, func(name string) bool { return !foreign(path.Join(p, name)) }); err != nil {
			return "", err
		}
	}
	return d.sum(), nil
}
