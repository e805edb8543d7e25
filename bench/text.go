package bench

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// A table is rows of cells under a title.
type table struct {
	title string
	head  []string
	rows  [][]string
}

// Text writes the report as tables.
func (r Report) Text(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s, %d CPUs, load %s before and %s after; %v a measurement, sides in turns; ttl %v\n",
		r.Host.OS, r.Host.CPUs, load(r.Host.LoadBefore), load(r.Host.LoadAfter), r.Duration, r.TTL)
	if r.Interrupted {
		fmt.Fprintln(&b, "interrupted: this is what there was")
	}
	for _, t := range []table{r.latencies(), r.throughput(), r.contention(), r.mixed(), r.meetings(), r.memory(), r.peers(), r.articleTable()} {
		t.write(&b)
	}
	r.bare(&b)
	r.errors(&b)
	_, err := w.Write(b.Bytes())
	return err
}

func load(v float64) string {
	if v < 0 {
		return "unknown"
	}
	return fmt.Sprintf("%.1f", v)
}

// write writes the first column flush left and the others flush right.
func (t table) write(b *bytes.Buffer) {
	if len(t.rows) == 0 {
		return
	}
	widths := make([]int, len(t.head))
	for _, row := range append([][]string{t.head}, t.rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	fmt.Fprintf(b, "\n%s\n", t.title)
	for _, row := range append([][]string{t.head}, t.rows...) {
		line := ""
		for i, cell := range row {
			gap := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				line += "  " + cell + gap
				continue
			}
			line += "  " + gap + cell
		}
		fmt.Fprintln(b, strings.TrimRight(line, " "))
	}
}

// latencies is about one client alone.
func (r Report) latencies() table {
	t := table{title: "one client alone (× is the ratio of medians to the bare commands, in the same turns)",
		head: []string{"backend", "acquire p50", "p99", "×", "release p50", "p99", "×", "driver: acquire p50", "p99", "release p50"}}
	for _, b := range r.Backends {
		for _, mode := range b.Alone() {
			u := b.With(1, mode)
			if u == nil || u.Side(LockSide) == nil || u.Side(LockSide).Acquire.N == 0 {
				continue
			}
			m := u.Side(LockSide)
			row := []string{b.Called(mode), span(m.Acquire.P50), span(m.Acquire.P99), times(m.AcquireRatio),
				span(m.Release.P50), span(m.Release.P99), times(m.ReleaseRatio), "–", "–", "–"}
			if d := u.Side(DriverSide); d != nil {
				row[7], row[8], row[9] = span(d.Acquire.P50), span(d.Acquire.P99), span(d.Release.P50)
			}
			t.rows = append(t.rows, row)
		}
	}
	return t
}

// throughput is about as many clients as locks.
func (r Report) throughput() table {
	t := table{title: "acquires with their releases a second, as many locks as clients, for readers one lock (% of the bare commands)", head: []string{"backend"}}
	for _, n := range r.Plan.Clients {
		t.head = append(t.head, plural(n, "client"), "bare", "%")
	}
	for _, b := range r.Backends {
		for _, mode := range b.Alone() {
			row := []string{b.Called(mode)}
			for _, n := range r.Plan.Clients {
				row = append(row, b.With(n, mode).rates()...)
			}
			t.rows = append(t.rows, row)
		}
	}
	return t
}

// rates are the lock's, that of the bare commands, and the one of the other.
func (u *Uncontended) rates() []string {
	cells := []string{"–", "–", "–"}
	if u == nil || u.Side(LockSide) == nil {
		return cells
	}
	cells[0], cells[2] = figures(u.Side(LockSide).Rate.Median), share(u.Side(LockSide).RateRatio)
	if bare := u.Side(BareSide); bare != nil {
		cells[1] = figures(bare.Rate.Median)
	}
	return cells
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// contention is about many clients and one lock.
func (r Report) contention() table {
	t := table{title: fmt.Sprintf("clients that all want one lock, or one permit, held for %v (%% and × beside one client alone with the bare commands)", r.Hold),
		head: []string{"backend", "clients", "hand-overs/s", "%", "release to grant p50", "×", "wait p50", "p99", "Jain", "commands/hand-over", ""}}
	for _, b := range r.Backends {
		for _, c := range b.Contended {
			t.rows = append(t.rows, append([]string{b.Backend}, c.cells(c.OfBare)...))
		}
	}
	return t
}

func (c Contended) cells(ratio *Ratio) []string {
	jain, note := "–", ""
	if c.Jain > 0 {
		jain = fmt.Sprintf("%.3f", c.Jain)
	}
	if c.Overlaps > 0 {
		note = fmt.Sprintf("held by %s at %d of %d grants", several(c.Permits), c.Overlaps, c.Grants)
	}
	clients := fmt.Sprint(c.Clients)
	if c.Permits > 0 {
		clients += " for " + plural(c.Permits, "permit")
	}
	return []string{clients, figures(c.HandOvers.Median), share(ratio), span(c.Gap.P50), times(c.GapRatio),
		span(c.Wait.P50), span(c.Wait.P99), jain, figures(c.Commands), note}
}

// several says by how many clients too many a lock is held.
func several(permits int) string {
	if permits > 1 {
		return fmt.Sprintf("more than %d", permits)
	}
	return "several"
}

// memory is about locks that are held.
func (r Report) memory() table {
	t := table{title: "bytes on the servers for each lock that is held, as they report", head: []string{"backend", "held", "lock", "bare", "×"}}
	for _, b := range r.Backends {
		m := b.Memory
		if m == nil {
			continue
		}
		row := []string{b.Backend, fmt.Sprint(m.Locks), figures(m.Lock.Median), "–", times(m.Ratio)}
		if m.Bare != nil {
			row[3] = figures(m.Bare.Median)
		}
		t.rows = append(t.rows, row)
	}
	return t
}

// bare says what the bare commands are.
func (r Report) bare(b *bytes.Buffer) {
	if len(r.Backends) == 0 {
		return
	}
	fmt.Fprintln(b, "\nbare commands, and what the servers count")
	for _, e := range r.Backends {
		counted := e.Counted
		if counted == "" {
			counted = "nothing"
		}
		fmt.Fprintf(b, "  %s: %s; %s; %s\n", e.Backend, e.Bare, counted, strings.Join(e.Servers, ", "))
	}
}

func (r Report) errors(b *bytes.Buffer) {
	if !r.Failed() {
		return
	}
	fmt.Fprintln(b, "\nnot measured, or not to the end")
	for _, e := range r.Backends {
		for _, err := range e.Errors {
			fmt.Fprintf(b, "  %s: %s\n", e.Backend, oneLine(err))
		}
	}
	for _, p := range r.Peers {
		for _, err := range p.Errors {
			fmt.Fprintf(b, "  %s beside %s: %s\n", p.Ours, p.Theirs, oneLine(err))
		}
	}
}

func oneLine(s string) string { return strings.ReplaceAll(strings.TrimSpace(s), "\n", "; ") }
