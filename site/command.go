package site

import (
	"strconv"
	"time"

	"github.com/kballard/go-shellquote"

	"locktorture/ledger"
)

// usual are the times for which runs are made, in seconds.
func usual() []int {
	return []int{1200, 600, 300, 180, 120, 90, 60, 45, 30, 20, 15, 10, 8, 6, 5, 4, 3, 2, 1}
}

// duration is for how long a run was asked to last: it took some seconds longer than one of the usual times.
func duration(ms int64) string {
	for _, s := range usual() {
		if ms >= int64(s)*1000 {
			return (time.Duration(s) * time.Second).String()
		}
	}
	return (time.Duration(max(ms, 1)) * time.Millisecond).String()
}

// Command is what makes a run of the cell again.
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
		if ms := c.shortest(); ms > 0 {
			words = append(words, "--duration", duration(ms))
		}
		command := shellquote.Join(words...)
		if c.Flags != "" {
			command += " " + c.Flags
		}
		return command
	}
	return ""
}

// shortest is how long the shortest run of a cell took, in milliseconds.
func (c *cell) shortest() (ms int64) {
	for _, r := range c.Runs {
		if r.Duration > 0 && (ms == 0 || r.Duration < ms) {
			ms = r.Duration
		}
	}
	return ms
}

// Again is what is added to the command of a cell to repeat this run.
func (r run) Again() string {
	if r.Seed == 0 {
		return ""
	}
	return "--seed " + strconv.FormatUint(r.Seed, 10)
}

// Day is when the run began, to the minute.
func (r run) Day() string {
	t, err := time.Parse(time.RFC3339, r.Date)
	if err != nil {
		return r.Date
	}
	return t.Format("2006-01-02 15:04")
}
