package guide

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"locktorture/ledger"
	"locktorture/report/words"
)

// rounds is how many a cost needs. A round measures every lock, so that whatever else the machine did
// came to all of them.
const rounds = 5

// priced is what a lock's cost is measured with (make costs).
func priced(lock string) ledger.Subject {
	return ledger.Subject{Kind: ledger.Bench, Lock: lock, Flags: "--clients 1 --waiters 20 --duration 2s --hold 1ms --ttl 10s"}
}

// costs is the table of what the guide's locks cost.
func (d *Data) costs() (string, error) { return d.pricesOf(chosen()) }

// prices is the table of what all locks cost that were measured in the same way.
func (d *Data) prices() (string, error) {
	var locks []string
	for _, s := range d.book.Subjects(ledger.Bench) {
		if s == priced(s.Lock) {
			locks = append(locks, s.Lock)
		}
	}
	return d.pricesOf(locks)
}

// pricesOf is the table of what locks cost: medians of rounds, and the least and the most of them.
// Rounds on a busy machine do not count.
func (d *Data) pricesOf(locks []string) (string, error) {
	var b strings.Builder
	b.WriteString("|lock|rounds|acquire by one client, p50|× the bare commands|hand-overs per second, 20 waiters|commands per hand-over|\n|---|---|---|---|---|---|\n")
	for _, lock := range locks {
		lines, err := d.undisturbed(priced(lock))
		if err != nil {
			return "", err
		}
		if len(lines) < rounds {
			fmt.Fprintf(&b, "|`%s`|%d|*not measured*||||\n", lock, len(lines))
			continue
		}
		fmt.Fprintf(&b, "|`%s`|%d|%s|%s|%s|%s|\n", lock, len(lines), between(lines, "acquire_us/1", microseconds),
			between(lines, "acquire_ratio/1", multiple), between(lines, "hand_overs/20", words.Figures), between(lines, "commands/20", words.Figures))
	}
	fmt.Fprintf(&b, "\nEach cost is the median of at least %d rounds (lowest–highest).\n", rounds)
	return b.String(), nil
}

// undisturbed are the lines of a subject that count, but for those of a busy machine.
func (d *Data) undisturbed(s ledger.Subject) ([]ledger.Line, error) {
	lines, err := d.book.Counting(s)
	return slices.DeleteFunc(lines, ledger.Line.Busy), err
}

func microseconds(v float64) string {
	return time.Duration(v * float64(time.Microsecond)).Round(time.Microsecond).String()
}

func multiple(v float64) string { return fmt.Sprintf("%.2f", v) }

// between is the median of a figure of some lines, with the least and the most of it.
func between(lines []ledger.Line, name string, write func(float64) string) string {
	values := figures(lines, name)
	if len(values) == 0 {
		return "–"
	}
	slices.Sort(values)
	return fmt.Sprintf("%s (%s–%s)", write(values[(len(values)-1)/2]), write(values[0]), write(values[len(values)-1]))
}

// figures are the values of a figure.
func figures(lines []ledger.Line, name string) (values []float64) {
	for _, l := range lines {
		for _, f := range l.Figures {
			if f.Name == name {
				values = append(values, f.Value)
			}
		}
	}
	return values
}

// sweep is the table of what one lock did with several TTLs.
func (d *Data) sweep() (string, error) {
	var b strings.Builder
	b.WriteString("|lock|flags|stopped holders|of these, wrote after their lease|dead holders|lock free after, p50|worst|\n|---|---|---|---|---|---|---|\n")
	for _, s := range d.book.Subjects(ledger.Sweep) {
		lines, err := d.undisturbed(s)
		if err != nil {
			return "", err
		}
		for _, l := range lines {
			f := map[string]ledger.Figure{}
			for _, g := range l.Figures {
				f[g.Name] = g
			}
			stops, out := f["overruns_of_stops"], f["out_p50_ms"]
			fmt.Fprintf(&b, "|`%s`|`%s`|%d|%.0f|%d|%s|%s|\n", s.Lock, s.Flags, stops.N, stops.Value, out.N,
				milliseconds(int64(out.Value)), milliseconds(int64(f["out_worst_ms"].Value)))
		}
	}
	return b.String(), nil
}
