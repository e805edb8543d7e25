package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// A trial is of one package: its mutants, and what becomes of them.
type trial struct {
	mutants []*mutant
	reasons map[string]string // why mutants are equivalent, by key
	tests   suite
	results io.Writer

	mu     sync.Mutex
	row    row
	became map[*mutant]outcome // of those that were tried
}

// try breaks one package in all ways that o.only lets through.
func try(o options, dir string, reasons map[string]string, results io.Writer) (*trial, error) {
	begun := time.Now()
	scratch, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	t := &trial{reasons: reasons, results: results, row: row{pkg: dir}, became: map[*mutant]outcome{}}
	if err := t.prepare(o, dir, scratch); err != nil {
		return nil, err
	}
	var all errgroup.Group
	all.SetLimit(o.workers)
	for _, m := range t.mutants {
		switch {
		case !o.only.MatchString(m.file + ":" + m.key()):
		case o.before[m.key()]:
			t.note(m, killed)
		default:
			all.Go(func() error { return t.one(m) })
		}
	}
	err = all.Wait()
	t.row.took = time.Since(begun)
	return t, err
}

// prepare builds the package with its mutants, and runs its tests once.
func (t *trial) prepare(o options, dir, scratch string) error {
	s, err := load("./" + dir)
	if err != nil {
		return err
	}
	texts, mutants := instrument(s, dir, 1)
	t.mutants = mutants
	if err := t.allNamed(dir); err != nil {
		return err
	}
	binary, err := build(s, texts, scratch)
	if err != nil {
		return err
	}
	t.tests = suite{binary: binary, dir: s.Dir, scratch: scratch, args: slices.Clone(o.args)}
	if o.histories > 0 && t.tests.knows("histories") {
		t.tests.args = append(t.tests.args, "-histories", strconv.Itoa(o.histories))
	}
	return t.tests.measure(o.run, len(mutants), o.slow)
}

// one tries a mutant. An equivalent one that is killed is none, which is an error.
func (t *trial) one(m *mutant) error {
	became, err := t.tests.kill(m)
	if err != nil {
		return err
	}
	if _, ok := t.reasons[m.key()]; ok && !became.lives() {
		return fmt.Errorf("equivalent.txt names a mutant that is %s: %s", became, m.key())
	}
	t.note(m, became)
	return nil
}

// note counts what became of a mutant.
func (t *trial) note(m *mutant, became outcome) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.reasons[m.key()]; ok || m.room && became.lives() {
		became = equivalent
	}
	t.became[m] = became
	t.row.count(became)
	fmt.Fprintf(t.results, "%s\t%s\t%s\t%s:%d\n", m.key(), became, m.mutator, m.file, m.line)
}

// allNamed fails on an equivalent mutant of the package that is none of its mutants.
func (t *trial) allNamed(dir string) error {
	are := map[string]bool{}
	for _, m := range t.mutants {
		are[m.key()] = true
	}
	for key := range t.reasons {
		if strings.HasPrefix(key, dir+" ") && !are[key] {
			return fmt.Errorf("equivalent.txt names what is no mutant: %s", key)
		}
	}
	return nil
}
