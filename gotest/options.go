//go:build !wasip1 && !simulated

package gotest

import (
	"time"

	"locktorture/checker"
)

// Bounds of the search for linearizability, and of the observations that a safe verdict requires.
const (
	checkTimeout = time.Minute
	checkMemory  = 1 << 30
	minGrants    = 20
)

// options returns the rules of the verdict, besides the declared traits.
func (cfg Config) options() checker.Options {
	return checker.Options{Workload: cfg.workload, MinGrants: minGrants, Timeout: checkTimeout, Memory: checkMemory}
}
