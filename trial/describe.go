package trial

import (
	"runtime"
	"time"

	"locktorture/internal/cgroup"
	"locktorture/report"
)

// describe returns the first part of run.json.
func (c Config) describe(s Setting) report.Run {
	r := report.Run{
		Name: s.Dir.Name, Start: time.Now(), Version: c.Commit, Commit: c.Commit,
		Workload: c.Options.Workload, Clients: c.Clients, TTL: c.TTL,
		Topology: s.Servers.Topology, Provisioner: s.Servers.Provisioner, ProvisionerWhy: s.Servers.Why,
		LeaseClock: s.Lock.Traits.Clock, CheckAgain: "torture check " + s.Dir.Path,
		Options: c.HeldTo(s.Lock), Wire: c.wire(s.Servers),
	}
	if c.Clock == nil {
		r.Machine = &report.Machine{Cores: runtime.NumCPU()}
		r.Machine.Before, _ = cgroup.Load()
	}
	for _, n := range s.Servers.Nodes {
		r.Nodes = append(r.Nodes, n.Name())
		r.Versions = append(r.Versions, report.Version{Name: n.Name(), Version: n.Version()})
	}
	r.Versions = append(append(r.Versions, s.Lock.Versions...), c.Versions...)
	return r
}
