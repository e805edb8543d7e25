package search

import "time"

// A Report is what torture explore prints with --json.
type Report struct {
	Backend  string   `json:"backend"`
	Find     []string `json:"find,omitempty"` // none: all of which the lock can be accused
	Strategy string   `json:"strategy"`
	Seed     uint64   `json:"seed"`

	Trials  int           `json:"trials"` // with faults
	Runs    int           `json:"runs"`   // those without included
	Virtual time.Duration `json:"virtual"`
	Found   *Found        `json:"found,omitempty"`
}

// Found is what was found, cut down if that was asked for.
type Found struct {
	Trial     int           `json:"trial"` // its number
	Mechanism string        `json:"mechanism"`
	Schedule  string        `json:"schedule"`
	Faults    int           `json:"faults"`
	Clients   int           `json:"clients"`
	Duration  time.Duration `json:"duration"`
	Shrink    int           `json:"shrink_runs,omitempty"` // to cut it down
	Other     Robustness    `json:"other"`
	Dir       string        `json:"dir"`
}
