package words

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"locktorture/history"
)

// At writes a moment of the run: seconds since its start, to the millisecond.
func At(ns int64) string {
	if ns == history.Never {
		return "never"
	}
	return strconv.FormatFloat(float64(ns)/1e9, 'f', 3, 64) + " s"
}

// Exact writes a moment to the microsecond, where the order of operations
// that are close to each other matters.
func Exact(ns int64) string {
	if ns == history.Never {
		return "never"
	}
	return strconv.FormatFloat(float64(ns)/1e9, 'f', 6, 64) + " s"
}

// Span writes a length of time with three significant figures.
func Span(ns int64) string {
	if ns == history.Never {
		return "for ever"
	}
	f, unit := float64(ns), "ns"
	switch a := math.Abs(f); {
	case a >= 999.5e6:
		f, unit = f/1e9, "s"
	case a >= 999.5e3:
		f, unit = f/1e6, "ms"
	case a >= 999.5:
		f, unit = f/1e3, "µs"
	}
	return Figures(f) + " " + unit
}

// Figures writes three significant figures without trailing zeros.
func Figures(f float64) string {
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

// Count writes a number with a thin grouping, "1 234 567".
func Count(n int) string {
	s := strconv.Itoa(n)
	start := 0
	if n < 0 {
		start = 1
	}
	for i := len(s) - 3; i > start; i -= 3 {
		s = s[:i] + " " + s[i:]
	}
	return s
}

// Plural writes "1 grant", "2 grants".
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Count(n) + " " + many
}

// Percent writes a share of one.
func Percent(share float64) string { return fmt.Sprintf("%s %%", Figures(100*share)) }

// Started writes the minute in which a run began, in UTC; nothing where it is not known.
func Started(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04")
}
