package registry

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"locktorture/checker/linear"
	"locktorture/cluster"
	"locktorture/cluster/docker"
)

// A Row is an entry of a table, for a reader.
type Row struct {
	Name     string   `json:"name"`
	About    string   `json:"about"`
	Library  string   `json:"library,omitempty"` // the libraries that it is made of, with versions
	Topology string   `json:"topology,omitempty"`
	Serves   string   `json:"served_by,omitempty"` // provisioner here, or why none
	Traits   []string `json:"traits,omitempty"`
	Model    string   `json:"model,omitempty"`
	Clock    string   `json:"clock,omitempty"`
	Missing  string   `json:"missing,omitempty"` // without which it cannot be used here yet, and how to get that
}

// List lists what is called backends, workloads, stores, topologies, nemeses, images, mutants or
// models, in order. locks are the backends. With versions, programs that a configuration file names
// are run and asked for theirs.
func List(what string, locks map[string]Backend, versions bool) []Row {
	var rows []Row
	candidates := Provisioners(nil) // one for all: each asks the registries anew
	switch what {
	case "backends":
		for _, name := range slices.Sorted(maps.Keys(locks)) {
			rows = append(rows, locks[name].row(name, candidates))
		}
		askLibraries(rows, locks, versions)
	case "workloads":
		all := Workloads()
		for _, name := range slices.Sorted(maps.Keys(all)) {
			rows = append(rows, Row{Name: name, About: all[name].About})
		}
	case "stores":
		all := Stores()
		for _, name := range slices.Sorted(maps.Keys(all)) {
			rows = append(rows, Row{Name: name, About: all[name].About, Topology: all[name].Topology, Serves: ServedBy(candidates, all[name].Topology)})
		}
	case "topologies":
		all := cluster.Topologies()
		for _, name := range slices.Sorted(maps.Keys(all)) {
			rows = append(rows, Row{Name: name, About: all[name].Description, Serves: ServedBy(candidates, name)})
		}
	case "nemeses":
		for _, name := range slices.Sorted(maps.Keys(Nemeses())) {
			rows = append(rows, Row{Name: name, About: Nemeses()[name].Traits().About})
		}
	case "images":
		for _, server := range docker.Servers() {
			rows = append(rows, Row{Name: server, About: docker.Defaults()[server]})
		}
	case "mutants":
		all := Mutants()
		for _, name := range slices.Sorted(maps.Keys(all)) {
			rows = append(rows, Row{Name: name, About: all[name].About})
		}
	case "models":
		for _, name := range linear.Models() {
			rows = append(rows, Row{Name: name})
		}
	}
	return rows
}

func (b Backend) row(name string, candidates []cluster.Candidate) Row {
	row := Row{Name: name, About: b.About, Topology: b.Topology, Serves: b.ServedBy(candidates), Traits: b.TraitNames()}
	if b.Driver == nil {
		row.Model, row.Clock = b.Traits.Model, b.Traits.Clock
	}
	row.Missing = strings.Join(b.missing(candidates), "; ")
	return row
}

// missing says what is not here without which the backend cannot be used, and how to get it.
func (b Backend) missing(candidates []cluster.Candidate) (all []string) {
	if b.Topology != "" && b.ServedBy(candidates) == NoServers {
		for _, need := range cluster.Topologies()[b.Topology].Needs {
			if err := candidates[0].Provisioner.Serves(need); err != nil {
				all = append(all, err.Error())
				break
			}
		}
	}
	if b.Program != "" {
		if missing := DriverProgram(b.Program).Missing(); missing != "" {
			all = append(all, missing)
		}
	}
	return all
}

// Absent returns a driver of a configuration file that cannot be run here: what it needs is
// missing.
func (e DriverEntry) Absent(name, missing string) Row {
	return Row{Name: name, About: e.About, Topology: e.Topology, Missing: missing}
}

// TraitNames returns the declared traits for a reader. For a driver it says that the driver's
// open reply declares them.
func (b Backend) TraitNames() (names []string) {
	if b.Driver != nil {
		return []string{"declared by its open reply"}
	}
	t := b.Traits
	for _, trait := range []struct {
		has  bool
		name string
	}{
		{t.Reentrant, "reentrant"}, {t.Upgrades, "upgrades"}, {t.Fair, "fair"}, {t.Wait != "", "waits by " + t.Wait}, {t.Renews, "renews"},
		{t.Token, "token"}, {t.Bounded, "validity " + t.Validity}, {t.Watched, "reports loss"},
	} {
		if trait.has {
			names = append(names, trait.name)
		}
	}
	return names
}

// askLibraries completes the rows of backends. What a file names is run only where the user
// wants that, because a list is looked at before one trusts the folder; programs are then
// asked at the same time.
func askLibraries(rows []Row, all map[string]Backend, run bool) {
	var wg sync.WaitGroup
	for i := range rows {
		wg.Go(func() {
			if b := all[rows[i].Name]; run || b.Driver == nil {
				rows[i].Library = b.Library()
			}
		})
	}
	wg.Wait()
}
