package conform

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"
)

// Text writes the verdict for a reader.
func (v Verdict) Text(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%s\n", v.Grade)
	server := v.Server
	if server == "" {
		server = "the store does not say what it is"
	}
	fmt.Fprintf(out, "s3 · %s · %s · %d clients · %.1f s · seed %d\n", strings.Join(v.Endpoints, ", "), server, v.Clients, time.Duration(v.Took).Seconds(), v.Seed)
	for _, why := range v.Why {
		fmt.Fprintf(out, "  %s\n", why)
	}
	fmt.Fprintf(out, "\n%-8s %-14s %7s %9s %6s %11s %10s %14s %5s\n", "fault", "condition", "bursts", "at once", "puts", "one winner", "no winner", "two and more", "most")
	for _, g := range v.Groups {
		fmt.Fprintf(out, "%-8s %-14s %7d %9d %6d %11d %10d %14d %5d\n", g.Fault, g.Kind, g.Bursts, g.Overlap, g.Puts, g.One, g.None, g.More, g.Most)
	}
	if u := v.unknown(); u > 0 {
		fmt.Fprintf(out, "%d puts were not answered; where a burst has no winner, one of them may have won\n", u)
	}
	if b := v.Worst; b != nil {
		fmt.Fprintf(out, "\nat %.3f s %d of %d puts to %s with %s won, although all expected %q:\n  clients %s\n",
			time.Duration(b.At).Seconds(), len(b.Winners), b.Asked, b.Key, b.Kind, b.Value, numbers(b.Winners))
	}
	fmt.Fprintf(out, "\n%s one winner of each burst  %s linearizable (%d registers)\n", mark(v.Worst == nil), order(v.Linear.Outcome), len(v.Linear.Objects))
	return out.Flush()
}

func (v Verdict) unknown() (n int) {
	for _, g := range v.Groups {
		n += g.Unknown
	}
	return n
}

func mark(kept bool) string {
	if kept {
		return "✓"
	}
	return "✗"
}

func order(outcome string) string {
	switch outcome {
	case "valid":
		return "✓"
	case "invalid":
		return "✗"
	}
	return "?"
}

func numbers(clients []int) string {
	var words []string
	for _, n := range clients {
		words = append(words, fmt.Sprintf("c%d", n))
	}
	return strings.Join(words, ", ")
}
