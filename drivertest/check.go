package drivertest

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"locktorture/locks/driver"
	"locktorture/locks/locktest"
	"locktorture/registry"
)

// Known returns the error that there is no check of one of these names.
func Known(names []string) error {
	known := map[string]bool{"close": true, "end-of-input": true}
	for _, c := range driver.ProtocolChecks() {
		known[c.Name] = true
	}
	for _, c := range locktest.Checks() {
		known[c.Name] = true
	}
	for _, n := range names {
		if !known[n] {
			return registry.Unknown("check", n, known)
		}
	}
	return nil
}

// A Count is how many checks came to what.
type Count struct{ Passed, Failed, NotApplicable int }

// Check checks first that a driver keeps the rules of the protocol, then that its lock keeps
// those of locks, and prints how each check went, and where one fails what was exchanged. only
// names checks; none stands for all. With trace every line that is exchanged is printed. The
// error says that the driver misbehaves or that its servers fail.
func Check(ctx context.Context, s Subject, only []string, trace bool, out io.Writer) (Count, error) {
	c := &checks{subject: s, out: out, only: only, talk: &talk{}}
	if trace {
		c.talk.live = out
	}
	err := c.all(ctx)
	return c.count, err
}

// checks runs the checks one after another.
type checks struct {
	subject Subject
	out     io.Writer
	only    []string
	talk    *talk

	mu     sync.Mutex
	opened []*driver.Client // of the present check
	count  Count
}

// all runs the checks. Its error is a driver that misbehaves.
func (c *checks) all(ctx context.Context) error {
	a, err := c.subject.open(ctx, 1, c.talk)
	if err != nil {
		return err
	}
	defer a.Close()
	b, err := c.subject.open(ctx, 2, c.talk)
	if err != nil {
		return err
	}
	defer b.Close()
	for _, check := range driver.ProtocolChecks() {
		lock := "check-" + check.Name + "-" + rand.Text()[:6]
		err := c.one(check.Name, check.Rule, func() error {
			cctx, cancel := context.WithTimeout(ctx, time.Minute)
			defer cancel()
			return check.Run(cctx, a, b, lock, c.subject.TTL)
		}, a, b)
		if err != nil {
			return err
		}
	}
	if err := c.ends(ctx, "close", "close is answered, and the driver exits", a, true); err != nil {
		return err
	}
	if err := c.ends(ctx, "end-of-input", "a driver whose input ends exits: its harness is gone", b, false); err != nil {
		return err
	}
	return c.lock(ctx)
}

func (c *checks) ends(ctx context.Context, name, rule string, k *driver.Client, byClose bool) error {
	return c.one(name, rule, func() error { return k.Ends(ctx, byClose) })
}

// one runs one check and prints how it went.
func (c *checks) one(name, rule string, run func() error, clients ...*driver.Client) error {
	if len(c.only) > 0 && !slices.Contains(c.only, name) {
		return nil
	}
	c.talk.clear()
	start := time.Now()
	err := run()
	for _, k := range slices.Concat(clients, c.opened) {
		if dead := k.Err(); dead != nil {
			fmt.Fprintf(c.out, "FAIL  %s\n%s", name, c.talk.text())
			return fmt.Errorf("in check %s: %w", name, dead)
		}
	}
	if err == nil {
		c.count.Passed++
		fmt.Fprintf(c.out, "ok    %s (%v)\n", name, time.Since(start).Round(time.Millisecond))
		return nil
	}
	c.count.Failed++
	fmt.Fprintf(c.out, "FAIL  %s\n      expected: %s\n      found:    %s\n%s", name, rule,
		strings.ReplaceAll(err.Error(), "\n", "\n                "), c.talk.text())
	return nil
}

// lock runs the conformance test of locks.
func (c *checks) lock(ctx context.Context) error {
	s, done, err := c.suite(ctx)
	if err != nil {
		return err
	}
	defer done()
	rules := lockRules()
	for _, check := range locktest.Checks() {
		if len(c.only) > 0 && !slices.Contains(c.only, check.Name) {
			continue
		}
		if lacks := check.Lacks(s); lacks != "" {
			c.count.NotApplicable++
			fmt.Fprintf(c.out, "-     %s: %s\n", check.Name, lacks)
			continue
		}
		c.opened = nil
		if err := c.one(check.Name, rules[check.Name], func() error { return check.Run(ctx, s) }); err != nil {
			return err
		}
	}
	return nil
}
