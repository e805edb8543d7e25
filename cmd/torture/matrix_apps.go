package main

import (
	"locktorture/app"
	"locktorture/internal/exit"
	"locktorture/matrix"
)

// notForApps are the flags of a matrix that say something of locks.
var notForApps = []string{"backends", "workloads", "ttl", "clients", "fencing", "endpoints", "record", "ledger"}

// apps fills in the programs of a matrix.
func (s matrixSpec) apps(c *matrix.Config) (err error) {
	for _, name := range notForApps {
		if s.flags.Changed(name) {
			return exit.Usage("--%s: not with --apps; app.yaml says what is tortured", name)
		}
	}
	if s.On != onProcesses {
		return exit.Usage("--on %s: not with --apps, whose programs are on this machine", s.On)
	}
	c.Apps, c.Workloads = map[string]matrix.App{}, []string{matrix.AppWorkload}
	for _, path := range s.Apps {
		f, err := app.Read(path)
		if err != nil {
			return exit.Usage("--apps: %v", err)
		}
		if err := f.Missing(); err != nil {
			return exit.Usage("--apps: %v", err)
		}
		if other, ok := c.Apps[f.App]; ok {
			return exit.Usage("--apps: %s and %s are both called %s; give one another name (app: …)", other.Path, path, f.App)
		}
		if s.flags.Changed("duration") {
			f.Duration = s.Duration
		}
		c.Apps[f.App] = matrix.App{Path: path, Duration: f.Duration, Kinds: app.New(f, 0, nil).Work.Faults.Known}
		c.Backends = append(c.Backends, f.App)
	}
	if c.Nemeses, err = matrix.AppSets(c.Apps, s.Nemeses); err != nil {
		return exit.Usage("%v", err)
	}
	return nil
}
