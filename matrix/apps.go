package matrix

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"locktorture/internal/wire"
	"locktorture/nemesis"
	"locktorture/report/scorecard"
)

// AppWorkload is the workload of the runs of programs, which bring their own work.
const AppWorkload = "app"

// An App is a program whose replicas are tortured, in place of a lock.
type App struct {
	Path     string        // of its app.yaml
	Duration time.Duration // of each run
	Kinds    nemesis.Kinds // the faults that there are for it
}

// AppSets is Sets for programs: a fault must be one of each.
func AppSets(apps map[string]App, sets []string) ([]string, error) {
	var known nemesis.Kinds
	for _, a := range apps {
		if known == nil {
			known = nemesis.Kinds{}
			for name, k := range a.Kinds {
				known[name] = k
			}
		}
		for name := range known {
			if a.Kinds[name] == nil {
				delete(known, name)
			}
		}
	}
	return setsOf(known, sets)
}

// kinds returns the faults of all programs.
func (c Config) kinds() nemesis.Kinds {
	all := nemesis.Kinds{}
	for _, a := range c.Apps {
		for name, k := range a.Kinds {
			all[name] = k
		}
	}
	return all
}

// appTry returns one run of a program.
func (c Config) appTry(t scorecard.Try) scorecard.Try {
	a := c.Apps[t.Backend]
	duration := a.Duration
	if t.Seed >= c.Seed+uint64(c.Seeds) {
		duration *= 2 // a retry
	}
	t.Kills = slices.Contains(wire.FaultKinds(t.Nemesis), "kill")
	t.Args = append([]string{
		a.Path, "--nemesis", strings.Join(wire.FaultKinds(t.Nemesis), ","), "--duration", duration.String(), "--seed", strconv.FormatUint(t.Seed, 10),
	}, c.Args...)
	if c.NoConfig {
		t.Args = append(t.Args, "--no-config")
	}
	return t
}
