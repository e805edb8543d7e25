package runs

import (
	"locktorture/checker"
	"locktorture/internal/exit"
	"locktorture/registry"
)

// ParseExpect reads --expect; the zero Expectation stands for an empty one.
func ParseExpect(s string) (checker.Expectation, error) {
	if s == "" {
		return checker.Expectation{}, nil
	}
	e, err := registry.ParseExpectation(s)
	if err != nil {
		return e, exit.Usage("--expect: %v", err)
	}
	return e, nil
}

// ExitCode turns a verdict into an exit code.
func ExitCode(r checker.Result, expectText string, e checker.Expectation, failure error, interrupted bool) int {
	switch {
	case failure != nil:
		return FailureCode(failure)
	case r.Harness:
		return exit.Harness
	case interrupted:
		return exit.Interrupted
	case expectText != "" && r.Grade != checker.Unknown:
		if e.Differs(r) != "" {
			return exit.Violated
		}
		return exit.OK
	case expectText != "" && r.BrokenBy == checker.TheLock && e.Unexpected(r) == "": // it may, but nobody knows whether the fence holds
		return exit.Unknown
	case r.Grade == checker.Unsafe || r.Failed:
		return exit.Violated
	case r.Grade == checker.Safe || r.Grade == checker.FencedG:
		return exit.OK
	}
	return exit.Unknown
}
