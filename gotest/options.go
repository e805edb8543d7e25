//go:build !wasip1 && !simulated

package gotest

import (
	"time"

	"locktorture/checker"
)

// Bounds of the search for linearizability, and of what a safe must have seen.
const (
	checkTimeout = time.Minute
	checkMemory  = 1 << 30
	minGrants    = 20
)

// options say how it is judged, beside what the lock declares.
func (cfg Config) options() checker.Options {
	return checker.Options{Workload: cfg.workload, MinGrants: minGrants, Timeout: checkTimeout, Memory: checkMemory}
}
