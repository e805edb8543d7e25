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

// A Row is an entry of a list: a backend, workload, fault, topology, and so on.
type Row struct {
	Name     string   `json:"name"`
	About    string   `json:"about"`
	Library  string   `json:"library,omitempty"` // the libraries that it uses, with versions
	Topology string   `json:"topology,omitempty"`
	Serves   string   `json:"served_by,omitempty"` // provisioners here that can serve it, or NoServers
	Traits   []string `json:"traits,omitempty"`
	Model    string   `json:"model,omitempty"`
	Clock    string   `json:"clock,omitempty"`
	Missing  string   `json:"missing,omitempty"` // what it lacks to be usable here, and how to get it
}

// List returns the sorted rows of a table. what is "backends", "workloads", "stores", "topologies",
// "nemeses", "images", "mutants" or "models". locks are the backends. If versions is set, List also
// runs the version commands of the drivers in a configuration file.
func List(what string, locks map[string]Backend, versions bool) []Row {
	var rows []Row
	candidates := Provisioners(nil) // made once, because each new set queries the image registries again
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

// missing lists what must still be installed before the backend can be used here, and how to
// get it.
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

// Absent returns the row of a driver that cannot run here, because something that it needs is
// missing.
func (e DriverEntry) Absent(name, missing string) Row {
	return Row{Name: name, About: e.About, Topology: e.Topology, Missing: missing}
}

// TraitNames returns the names of the declared traits for a reader. For a driver it returns a text
// that refers to the driver's open reply, which declares them.
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

// askLibraries adds the libraries to the rows of backends, concurrently. It runs the version
// commands of drivers only if run is set, because users may list the locks of a folder before
// they trust it.
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
