// Package suggest finds the name that was meant, and shortens what a message repeats.
package suggest

import (
	"fmt"
	"slices"
	"strings"
)

// Shown is how much of a wrong name a message repeats, in bytes.
const Shown = 60

// longest is more than any name has: what is longer is near to none.
const longest = 48

// Nearest returns the name with the least edit distance, if that is small; else "".
func Nearest(name string, names []string) string {
	if len(name) > longest {
		return ""
	}
	best, least := "", 1+len(name)/3
	for _, n := range names {
		if d := distance(name, n); d <= least {
			best, least = n, d-1
		}
	}
	return best
}

// distance is the least number of letters that are put in, left out or changed to make b of a (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1) // of what of a was read so far, to each beginning of b
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := before
			if a[i] != b[j] {
				change++
			}
			before = row[j+1]
			row[j+1] = min(change, 1+row[j], 1+row[j+1])
		}
	}
	return row[len(b)]
}

// Among is nil for a known name, else an error that tells the nearest, or all in order.
func Among(name string, known []string) error {
	if slices.Contains(known, name) {
		return nil
	}
	if near := Nearest(name, known); near != "" {
		return fmt.Errorf("there is no %q; did you mean %s?", name, near)
	}
	return fmt.Errorf("there is no %q; there are %s", Short(name, Shown), strings.Join(slices.Sorted(slices.Values(known)), ", "))
}

// Repeat is what a message repeats of a wrong text: its beginning, and nothing of one that may
// have a login.
func Repeat(text string) string {
	if strings.Contains(text, "@") || strings.Contains(text, "://") {
		return "(not shown: it may have a login)"
	}
	return Short(text, Shown)
}

// Short is the beginning of a text, at most limit bytes long and valid UTF-8; an ellipsis
// stands for the rest.
func Short(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + "…"
}
