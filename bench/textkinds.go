package bench

import (
	"fmt"
	"strings"
)

// mixed is about readers beside a writer.
func (r Report) mixed() table {
	t := table{title: fmt.Sprintf("one read-write lock that all want, held for %v each (%% of what as many readers do with the bare commands and no writer)", r.Hold),
		head: []string{"backend", "readers + writers", "reads/s", "%", "wait p50", "p99", "writes/s", "wait p50", "p99", "readers past a waiting writer", "commands/grant", ""}}
	for _, b := range r.Backends {
		for _, m := range b.Mixed {
			t.rows = append(t.rows, append([]string{b.Backend}, m.cells(m.OfBare)...))
		}
	}
	return t
}

func (m Mix) cells(ratio *Ratio) []string {
	var notes []string
	if m.Starved > 0 {
		notes = append(notes, fmt.Sprintf("the writer got no lock in %d of %d slices, and waited for longer", m.Starved, m.Slices))
	}
	if m.Overlaps > 0 {
		notes = append(notes, fmt.Sprintf("a writer and others held the lock together at %d grants", m.Overlaps))
	}
	return []string{fmt.Sprintf("%d + 1", m.Clients-1), figures(m.Reads.Median), share(ratio), span(m.ReadWait.P50), span(m.ReadWait.P99),
		figures(m.Writes.Median), span(m.WriteWait.P50), span(m.WriteWait.P99), figures(m.Bypasses), figures(m.Commands), strings.Join(notes, "; ")}
}

// meetings is about latches and barriers.
func (r Report) meetings() table {
	t := table{title: fmt.Sprintf("parties that meet, the last of them %v after the others (open: from its call until all have passed; × beside one party alone with the bare commands)", r.Hold),
		head: []string{"backend", "parties", "meetings/s", "open p50", "p99", "×", "leave p50", "p99", "commands/party", ""}}
	for _, b := range r.Backends {
		for _, m := range b.Meetings {
			note := ""
			if m.Early > 0 {
				note = fmt.Sprintf("%d of %d passed before the last one came", m.Early, m.Meetings*int64(m.Parties))
			}
			t.rows = append(t.rows, []string{b.Backend, fmt.Sprint(m.Parties), figures(m.Rate.Median), span(m.Open.P50), span(m.Open.P99), times(m.OpenRatio),
				span(m.Leave.P50), span(m.Leave.P99), figures(m.Commands), note})
		}
	}
	return t
}
