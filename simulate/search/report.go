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
	Found   *Found        `json:"found,omitempty"`
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
