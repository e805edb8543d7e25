package locktest

import "testing"

// Run runs every check that applies to the suite as a subtest. A check that KnownBroken names must
// fail; if it passes, the test fails.
func Run(t *testing.T, s Suite) {
	t.Helper()
	broken := map[string]bool{}
	for name := range s.KnownBroken {
		broken[name] = true
	}
	for _, c := range Checks() {
		why := s.KnownBroken[c.Name]
		delete(broken, c.Name)
		if lacks := c.Lacks(s); lacks != "" {
			t.Logf("%s is not applicable: %s", c.Name, lacks)
			if why != "" {
				t.Errorf("%s should fail (%s) but is not applicable", c.Name, why)
			}
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			run := c.Run
			if why != "" {
				run = c.once // one failure is enough
			}
			err := run(t.Context(), s)
			switch {
			case why == "" && err != nil:
				t.Error(err)
			case why != "" && err == nil:
				t.Errorf("passed, but the lock is known to be broken here: %s", why)
			case why != "":
				t.Logf("fails as it must: %v", err)
			}
		})
	}
	for name := range broken {
		t.Errorf("KnownBroken names %q, which is no check", name)
	}
}
