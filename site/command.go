package site

import (
	"strconv"
	"time"

	"github.com/kballard/go-shellquote"

	"locktorture/ledger"
)

// Command is what makes the latest run of the cell again, but for its seed.
func (c *cell) Command() string {
	switch c.Kind {
	case ledger.Scenario:
		words := []string{"torture", "scenario", "run", c.Scenario, "--backend", c.Lock}
		if c.Variant != "" {
			words = append(words, "--variant", c.Variant)
		}
		return shellquote.Join(words...)
	case ledger.Run:
		words := []string{"torture", "run", "--backend", c.Lock, "--nemesis", c.Fault, "--workload", c.Workload}
		if asked := c.Runs[0].Asked; asked != "" {
			words = append(words, "--duration", asked)
		}
		command := shellquote.Join(words...)
		if c.Flags != "" {
			command += " " + c.Flags
		}
		return command
	}
	return ""
}

// Again is what is added to the command of a cell to repeat this run.
func (r run) Again() string {
	if r.Seed == 0 {
		return ""
	}
	seed := "--seed " + strconv.FormatUint(r.Seed, 10)
	if r.other && r.Asked != "" {
		seed = "--duration " + r.Asked + " " + seed
	}
	return seed
}

// Day is when the run began, to the minute.
func (r run) Day() string {
	t, err := time.Parse(time.RFC3339, r.Date)
	if err != nil {
		return r.Date
	}
	return t.Format("2006-01-02 15:04")
}
