// Package figures writes numbers in the one way in which all of torture writes them.
package figures

import (
	"math"
	"strconv"
	"strings"
)

// Count writes a number with commas between its thousands, "1,234,567".
func Count(n int) string {
	s := strconv.Itoa(n)
	start := 0
	if n < 0 {
		start = 1
	}
	for i := len(s) - 3; i > start; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Plural writes "1 grant", "2,098 grants".
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Count(n) + " " + many
}

// Span writes a length of time, in nanoseconds, with three significant figures: "5.2 s", "41
// ms".
func Span(ns int64) string {
	f, unit := float64(ns), "ns"
	switch a := math.Abs(f); {
	case a >= 999.5e6:
		f, unit = f/1e9, "s"
	case a >= 999.5e3:
		f, unit = f/1e6, "ms"
	case a >= 999.5:
		f, unit = f/1e3, "µs"
	}
	return Three(f) + " " + unit
}

// Three writes three significant figures without trailing zeros.
func Three(f float64) string {
	digits := 2
	switch a := math.Abs(f); {
	case a >= 99.95:
		digits = 0
	case a >= 9.995:
		digits = 1
	}
	s := strconv.FormatFloat(f, 'f', digits, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}
