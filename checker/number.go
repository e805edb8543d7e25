package checker

import "strconv"

// Number parses a number from a store. "" is 0, because a key that was never written holds 0.
// A number that no section can have counted up to is an error.
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

// largest is the greatest absolute value of a number in a store, so that many numbers can be
// added without an overflow.
const largest = 1 << 50

// Sane reports whether n is small enough that many such numbers can be added.
func Sane(n int) bool { return n >= -largest && n <= largest }
