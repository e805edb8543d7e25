package search

import "time"

// A Report is the output of torture explore --json.
type Report struct {
	Backend  string   `json:"backend"`
	Find     []string `json:"find,omitempty"` // empty: all anomalies for which the lock is responsible
	Strategy string   `json:"strategy"`
	Seed     uint64   `json:"seed"`

	Trials  int           `json:"trials"` // number of trials, all with faults
	Runs    int           `json:"runs"`   // number of runs, including those without faults
	Virtual time.Duration `json:"virtual"`
	States  Saturation    `json:"states"`
	Found   *Found        `json:"found,omitempty"`
}

// A Saturation says how much a search may still find. The states are sequences of three states of
// the lock.
type Saturation struct {
	Shown int `json:"shown"` // number of different states
	Late  int `json:"late"`  // of these, the states that were new in the last tenth of the runs
	// Next is an estimate of the number of new states in one more run: the states that exactly one run
	// showed, divided by the runs. A search that prefers schedules with new states shows more of them
	// than the estimate supposes.
	//
	// Source: I. J. Good, "The population frequencies of species and the estimation of population
	// parameters", Biometrika 40, 1953.
	Next float64 `json:"next"`
}

// Found describes the finding, after shrinking if requested.
type Found struct {
	Trial     int           `json:"trial"` // number of the trial
	Mechanism string        `json:"mechanism"`
	Schedule  string        `json:"schedule"`
	Faults    int           `json:"faults"`
	Clients   int           `json:"clients"`
	Duration  time.Duration `json:"duration"`
	Shrink    int           `json:"shrink_runs,omitempty"` // number of runs for shrinking
	Other     Robustness    `json:"other"`
	Dir       string        `json:"dir"`
}
