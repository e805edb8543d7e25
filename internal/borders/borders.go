// Package borders compares, in tests, what functions answer on either side of a border with what
// is right.
package borders

import "testing"

// A Border is the name of a question to a function, its answer, and the right answer.
type Border [3]any

// Check fails the test on each wrong answer.
func Check(t *testing.T, list []Border) {
	t.Helper()
	for _, b := range list {
		if got, want := b[1], b[2]; got != want {
			t.Errorf("%s: %v, want %v", b[0], got, want)
		}
	}
}
