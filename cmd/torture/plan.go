package main

import (
	"bufio"
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	"locktorture/nemesis"
	"locktorture/registry"
)

// plan draws the schedule, or reads the stored one, and writes it and run.json
// before anything happens.
func (p *prepared) plan() error {
	if p.spec.Schedule != "" {
		if err := p.readSchedule(); err != nil {
			return err
		}
	} else if len(p.kinds) > 0 {
		// A stream of its own: the work of the processes draws on other ones.
		r := rand.New(rand.NewPCG(p.spec.Seed, 0))
		steps, err := nemesis.Plan(r, p.world, p.kinds, p.spec.Duration)
		if err != nil {
			return usage("%v", err)
		}
		p.steps = steps
	}
	p.allowForClocks()
	if err := p.writeSchedule(); err != nil {
		return broken(err)
	}
	return p.writeRun()
}

// allowForClocks adds the farthest jump of a clock to the time within which a lock
// must become free: a key that was set while the clock was ahead lives that
// much longer once the clock is right again, and the lock is not to blame.
func (p *prepared) allowForClocks() {
	if p.backend.Traits.LeastTTL == 0 {
		return
	}
	var farthest time.Duration
	for _, s := range p.steps {
		jump := max(s.Offset, -s.Offset)
		if s.Rate > 1 {
			jump = max(jump, time.Duration(float64(s.For)*(s.Rate-1)))
		}
		farthest = max(farthest, jump)
	}
	p.run.Options.FreeWithin += farthest
}

func (p *prepared) writeRun() error {
	if err := p.dir.writeJSON("run.json", p.run); err != nil {
		return broken(err)
	}
	return nil
}

// readSchedule takes a stored schedule. Its faults are the requested ones.
func (p *prepared) readSchedule() error {
	f, err := os.Open(p.spec.Schedule)
	if err != nil {
		return usage("--schedule: %v", err)
	}
	defer f.Close()
	steps, err := nemesis.ReadSchedule(bufio.NewReader(f), p.world, p.kinds)
	if err != nil {
		return usage("--schedule %s: %v%s", p.spec.Schedule, err, faultHint(err))
	}
	used := map[string]bool{}
	p.run.Nemeses = nil
	for _, s := range steps {
		if err := p.kinds[s.Fault].Supports(p.world); err != nil {
			return usage("--schedule %s: fault %d: %s is not possible here: %v", p.spec.Schedule, s.N, s.Fault, err)
		}
		if !used[s.Fault] {
			p.run.Nemeses = append(p.run.Nemeses, s.Fault)
		}
		used[s.Fault] = true
	}
	p.run.Options.Nemeses = p.run.Nemeses
	p.steps = steps
	return nil
}

// faultHint is what to add to an error about a fault that there is not.
func faultHint(err error) string {
	var unknown *nemesis.UnknownError
	if !errors.As(err, &unknown) {
		return ""
	}
	names := slices.Sorted(maps.Keys(registry.Nemeses()))
	if near := nearest(unknown.Fault, names); near != "" {
		return "; did you mean " + near + "?"
	}
	return "; there are " + strings.Join(names, ", ")
}

func (p *prepared) writeSchedule() error {
	f, err := os.Create(p.dir.file("schedule.jsonl"))
	if err != nil {
		return err
	}
	defer f.Close()
	return nemesis.WriteSchedule(f, p.steps)
}
