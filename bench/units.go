package bench

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// span writes nanoseconds with three figures; "–" for none.
func span(ns int64) string {
	switch d := time.Duration(ns); {
	case ns <= 0:
		return "–"
	case d < time.Millisecond:
		return figures(float64(ns)/1e3) + " µs"
	case d < time.Second:
		return figures(float64(ns)/1e6) + " ms"
	default:
		return figures(float64(ns)/1e9) + " s"
	}
}

// figures writes a number with three figures, and thousands apart.
func figures(v float64) string {
	switch {
	case v == 0:
		return "–"
	case v < 100:
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	s := strconv.FormatFloat(v, 'f', 0, 64)
	var b strings.Builder
	for i, r := range s {
		if i > 0 && (len(s)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// times writes a ratio of latencies, which is better when it is small.
func times(r *Ratio) string {
	if r == nil {
		return "–"
	}
	return fmt.Sprintf("%.2f×", r.Value)
}

// share writes a ratio of rates, which is better when it is large.
func share(r *Ratio) string {
	if r == nil {
		return "–"
	}
	return fmt.Sprintf("%.0f %%", 100*r.Value)
}

// between writes a ratio with its quartiles.
func between(r *Ratio) string {
	if r == nil {
		return "–"
	}
	return fmt.Sprintf("%.2f (%.2f–%.2f)", r.Value, r.Low, r.High)
}
