package ledger

import (
	"fmt"
	"os"

	"locktorture/registry"
)

// nothing is the sum of a part on which a line does not depend.
const nothing = "00000000"

// Of returns the sums of a line of any kind. Of a finding and of a store the lock has its name alone.
func (t *Sources) Of(kind string, lock registry.Backend, faults string) (s Sums, err error) {
	s = Sums{nothing, nothing, nothing}
	switch kind {
	case Run, Scenario:
		return t.Sums(lock, faults)
	case Finding:
		s.Lock, err = t.whole("findings", "findings/"+lock.Name)
		if os.IsNotExist(err) {
			return Sums{}, nil // it is gone: stale
		}
		return s, err
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
