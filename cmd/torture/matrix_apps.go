package main

import (
	"context"
	"errors"

	"locktorture/app"
	"locktorture/cluster/docker"
	"locktorture/internal/exit"
	"locktorture/matrix"
)

// notForApps are the flags of a matrix that say something of locks.
var notForApps = []string{"backends", "workloads", "ttl", "clients", "fencing", "endpoints", "record", "ledger"}

// apps fills in the programs of a matrix.
func (s matrixSpec) apps(ctx context.Context, c *matrix.Config) (err error) {
	for _, name := range notForApps {
		if s.flags.Changed(name) {
			return exit.Usage("--%s: not with --apps; app.yaml says what is tested", name)
		}
	}
	if s.On != onProcesses {
		return exit.Usage("--on %s: not with --apps, because the programs are on this machine", s.On)
	}
	c.Apps, c.Workloads = map[string]matrix.App{}, []string{matrix.AppWorkload}
	for _, path := range s.Apps {
		f, err := readApp(ctx, path)
		if errors.Is(err, docker.ErrNotCompiled) {
			return err
		}
		if err != nil {
			return exit.Usage("--apps: %v", err)
		}
		if err := f.Missing(); err != nil {
			return exit.Usage("--apps: %v", err)
		}
		if other, ok := c.Apps[f.App]; ok {
			return exit.Usage("--apps: %s and %s are both called %s; rename one (app: …)", other.Path, path, f.App)
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

// readApp reads a program as torture app does. Replicas in containers that this machine cannot start are an error
// now, and not of each run.
func readApp(ctx context.Context, path string) (f *app.File, err error) {
	var boxes appSpec
	f, err = app.Read(path, func(f *app.File) error { return boxes.contain(ctx, f) })
	if boxes.site != nil {
		err = errors.Join(err, boxes.site.Close())
	}
	return f, err
}
