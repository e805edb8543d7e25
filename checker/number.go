package checker

import "strconv"

// Number reads a number; a key that was never written holds 0. One that no
// section can have counted up to is an error.
func Number(s string) (int, error) {
	if s == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(s)
	if err == nil && !Sane(n) {
		return 0, strconv.ErrRange
	}
	return n, err
}

// largest is the greatest number in a store, either way, so that many can be added.
const largest = 1 << 50

// Sane reports whether many such numbers can be added.
func Sane(n int) bool { return n >= -largest && n <= largest }
