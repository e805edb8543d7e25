package checker_test

import (
	"slices"
	"strings"
	"testing"

	"locktorture/checker"
)

// FuzzExpectation: what is accepted is a grade that can be expected with anomalies that there
// are, and it says so again when it is put together.
func FuzzExpectation(f *testing.F) {
	for _, text := range []string{"safe", "unsafe+overrun", "fenced+double-grant+overrun", "unknown", "safe+", "+", "unsafe++overrun", "Safe", " safe", "safe+deadlock+deadlock"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := checker.ParseExpectation(text)
		if err != nil {
			return
		}
		if e.Grade == "" || e.Grade == checker.Unknown {
			t.Errorf("%q expects %q", text, e.Grade)
		}
		for _, a := range e.Anomalies {
			if !slices.Contains(checker.Kinds(), a) {
				t.Errorf("%q expects %q", text, a)
			}
		}
		if again := strings.Join(append([]string{string(e.Grade)}, e.Anomalies...), "+"); again != text {
			t.Errorf("%q is read as %q", text, again)
		}
	})
}
