package scenarios

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"locktorture/harness"
	"locktorture/locks"
	"locktorture/workloads"
)

// A Stage is the place of a script: clients, servers, links and the store that the lock protects.
// The first failing step ends the script. Later steps do nothing, so that a script needs no checks
// of errors.
type Stage struct {
	Lock string
	TTL  time.Duration
	Case Case
	// FreeWithin is the time after which the lock must be free when its holder has ended.
	FreeWithin time.Duration

	Servers *Servers
	Probe   Probe
	Queue   Queue

	ctx     context.Context
	script  *harness.Script
	traits  locks.Traits
	clients map[int]*Client
	// resource is the store that the lock protects.
	resource workloads.Resource
	undo     []func(context.Context) error
	err      error
	played   Played
}

// Played is the result of a script, besides its history.
type Played struct {
	Facts    []string  // observed facts, by name
	Measures []Measure // measured values
	// Stuck is the reason why the script could not continue as written, or "". It is a finding
	// about the lock, no failure of the harness.
	Stuck string
}

// patience is the allowance in the wait for an effect, beyond its known duration.
const patience = 20 * time.Second

// longTTL is the TTL of scripts in which a lease must stay valid for several steps on a busy
// machine.
const longTTL = 5 * time.Second

// stuck marks an error as a finding about the lock.
type stuck struct{ why string }

func (s stuck) Error() string { return s.why }

// fail ends the script, unless it has ended already.
func (s *Stage) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

// stick ends the script because the lock did not meet the requirement of the next step.
func (s *Stage) stick(format string, args ...any) { s.fail(stuck{fmt.Sprintf(format, args...)}) }

// over reports whether the script has ended; its later steps do nothing.
func (s *Stage) over() bool {
	if s.err == nil && s.ctx.Err() != nil {
		s.err = s.ctx.Err()
	}
	return s.err != nil
}

// step executes a function unless the script has ended.
func (s *Stage) step(what string, do func(ctx context.Context) error) {
	if s.over() {
		return
	}
	if err := do(s.ctx); err != nil {
		s.fail(fmt.Errorf("%s: %w", what, err))
	}
}

// later registers a function for the clean-up after the script.
func (s *Stage) later(undo func(context.Context) error) { s.undo = append(s.undo, undo) }

// Until waits until a check succeeds. It repeats the check often.
func (s *Stage) Until(what string, within time.Duration, seen func(ctx context.Context) (bool, error)) {
	s.step("wait until "+what, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, within+patience)
		defer cancel()
		tick := time.NewTicker(lookEvery)
		defer tick.Stop()
		var last error
		for {
			ok, err := seen(ctx)
			if ok {
				return nil
			}
			if err != nil {
				last = err
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				return errors.Join(fmt.Errorf("not seen: %w", ctx.Err()), last)
			}
		}
	})
}

// Fact records an observed fact, for the expectation of a case.
func (s *Stage) Fact(name string, seen bool) {
	if !s.over() && seen && !slices.Contains(s.played.Facts, name) {
		s.played.Facts = append(s.played.Facts, name)
	}
}

// Measured records a value.
func (s *Stage) Measured(name, format string, args ...any) {
	if !s.over() {
		s.played.Measures = append(s.played.Measures, Measure{Name: name, Value: fmt.Sprintf(format, args...)})
	}
}

// Need ends the script if a requirement of the next step is not met.
func (s *Stage) Need(what string, ok bool) {
	if !s.over() && !ok {
		s.stick("not so: %s", what)
	}
}

// Client returns client n, from 1.
func (s *Stage) Client(n int) *Client {
	if s.clients[n] == nil {
		c := &Client{stage: s, scripted: s.script.Client(n)}
		c.Process, c.Transaction.client = Process{c}, c
		s.clients[n] = c
	}
	return s.clients[n]
}

// After waits until a time of the history has passed. It is for events that only a time announces,
// such as the end of a validity.
func (s *Stage) After(what string, at int64) {
	s.Until(what, time.Duration(at-s.script.Now()), func(context.Context) (bool, error) { return s.script.Now() > at, nil })
}

// number reads a counter.
func (s *Stage) number(v string) int {
	n, err := strconv.Atoi(v)
	if err != nil && !s.over() {
		s.fail(fmt.Errorf("counter holds %q", v))
	}
	return n
}
