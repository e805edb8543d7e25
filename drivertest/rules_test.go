package drivertest

import (
	"testing"

	"locktorture/locks/locktest"
)

func TestRules(t *testing.T) {
	rules := lockRules()
	for _, c := range locktest.Checks() {
		if rules[c.Name] == "" {
			t.Errorf("no rule says what the check %s expects", c.Name)
		}
		delete(rules, c.Name)
	}
	for name := range rules {
		t.Errorf("a rule of %s, which is no check", name)
	}
}
