package main

import (
	"errors"
	"fmt"
	"math"
	"os/exec"
	"syscall"
	"time"
)

// An outcome is what became of a mutant.
type outcome string

const (
	killed     outcome = "killed"
	timedOut   outcome = "timed out" // it took several times the processor time of its tests
	lived      outcome = "lived"
	notReached outcome = "not reached" // no test comes by
	equivalent outcome = "equivalent"  // it lives, and makes no difference
)

// lives reports whether no test noticed.
func (o outcome) lives() bool { return o == lived || o == notReached }

const quick = 20 * time.Millisecond // tests that cost less share a process

// kill lets the tests that reach a mutant loose on it: first the quick ones, then
// one after the other by what they cost.
func (s *suite) kill(m *mutant) (outcome, error) {
	var groups [][]*test
	for _, t := range s.tests {
		switch {
		case t.reaches[m.id] == 0:
		case t.cost < quick && len(groups) > 0:
			groups[0] = append(groups[0], t)
		default:
			groups = append(groups, []*test{t})
		}
	}
	if len(groups) == 0 {
		return notReached, nil
	}
	for _, g := range groups {
		if o, err := s.try(m, g); err != nil || o != lived {
			return o, err
		}
	}
	return lived, nil
}

// try runs tests in one process, which the kernel ends when it takes too much processor time.
func (s *suite) try(m *mutant, tests []*test) (outcome, error) {
	var cost time.Duration
	for _, t := range tests {
		cost += t.cost
	}
	limit := math.Ceil(2 + 4*cost.Seconds())
	cmd := s.command(tests, fmt.Sprintf("MUTANT=%d", m.id), fmt.Sprintf("MUTANT_SECONDS=%.0f", limit))
	if err := cmd.Start(); err != nil {
		return "", err
	}
	stuck := time.AfterFunc(10*time.Minute, func() { cmd.Process.Kill() }) // it waits for nothing
	defer stuck.Stop()
	err := cmd.Wait()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return lived, nil
	case !errors.As(err, &exit):
		return "", err
	case exit.Sys().(syscall.WaitStatus).Signaled():
		return timedOut, nil
	}
	return killed, nil
}
