package words

import (
	"fmt"
	"strconv"
	"time"

	"locktorture/history"
	"locktorture/internal/figures"
)

// At writes a moment of the run: seconds since its start, to the millisecond.
func At(ns int64) string {
	if ns == history.Never {
		return "never"
	}
	return strconv.FormatFloat(float64(ns)/1e9, 'f', 3, 64) + " s"
}

// Stamp writes a moment as the history has it, to the nanosecond.
func Stamp(ns int64) string {
	if ns == history.Never {
		return "never"
	}
	return strconv.FormatFloat(float64(ns)/1e9, 'f', 9, 64) + " s"
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
	return figures.Span(ns)
}

// Figures writes three significant figures without trailing zeros.
func Figures(f float64) string { return figures.Three(f) }

// Count writes a number with commas between its thousands, "1,234,567".
func Count(n int) string { return figures.Count(n) }

// Plural writes "1 grant", "2,098 grants".
func Plural(n int, one, many string) string { return figures.Plural(n, one, many) }

// Percent writes a share of one.
func Percent(share float64) string { return fmt.Sprintf("%s %%", Figures(100*share)) }

// Started writes the minute in which a run began, in UTC; nothing where it is not known.
func Started(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04")
}
