package ledger

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"locktorture/registry"
)

// nothing is the sum of a part on which a line does not depend.
const nothing = "00000000"

// Of returns the sums of a line of any kind. Of a finding, a store and an app the lock has its name alone.
func (t *Sources) Of(kind string, lock registry.Backend, faults string) (s Sums, err error) {
	s = Sums{nothing, nothing, nothing}
	switch kind {
	case Run, Scenario:
		return t.Sums(lock, faults)
	case Finding:
		if s.Lock, err = t.Program(lock.Name); err != nil || s.Lock == "" {
			return Sums{}, err // it is gone: stale
		}
		s.Checker, err = t.around(lock.Name)
		return s, err
	case App:
		return t.app(lock.Name, faults)
	case Conform:
		s.Checker, err = t.whole("conform")
		return s, err
	}
	if s.Lock, err = t.lock(lock); err != nil {
		return s, fmt.Errorf("the sources of %s: %w", lock.Name, err)
	}
	switch kind {
	case Bench:
		s.Checker, err = t.whole("bench", "bench/raw", "bench/suite")
	case Sweep:
		s.Checker, err = t.whole("sweep", "harness", "workloads")
	case Search:
		s.Fault, err = t.whole("simulate", "simulate/search", "nemesis/points")
		if err == nil {
			s.Checker, err = t.checker()
		}
	}
	return s, err
}

// Program sums up the program of a finding; "" if it is gone.
func (t *Sources) Program(name string) (string, error) {
	d := &digest{}
	err := d.files(t, "findings/"+name, isProgram)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return d.sum(), err
}

func isProgram(file string) bool { return strings.HasPrefix(file, "main.") }

// around sums up what the program of a finding is built and run with: the versions of its libraries,
// and what all findings share.
func (t *Sources) around(name string) (string, error) {
	d := &digest{}
	if err := d.files(t, "findings", every); err != nil {
		return "", err
	}
	err := d.files(t, "findings/"+name, func(file string) bool { return !isProgram(file) })
	return d.sum(), err
}

// whole sums folders up, without what they say to people.
func (t *Sources) whole(names ...string) (string, error) {
	d := &digest{}
	for _, name := range names {
		if err := d.silent(t, name, every); err != nil {
			return "", err
		}
	}
	return d.sum(), nil
}
