package main

import (
	"fmt"
	"strings"

	"locktorture/bench"
	"locktorture/ledger"
	"locktorture/registry"
	"locktorture/runs"
)

// book begins the lines of a benchmark in the ledger, if there are to be some.
func (s benchSpec) book(known map[string]registry.Backend, names []string) (*runs.Bookkeeper, error) {
	k, err := s.Bookkeeper(commit)
	for _, name := range names {
		if err == nil {
			err = k.BeginKind(ledger.Bench, known[name], "")
		}
	}
	return k, err
}

// note adds a line for each lock that was measured whole.
func (s benchSpec) note(k *runs.Bookkeeper, known map[string]registry.Backend, r bench.Report) error {
	for _, b := range r.Backends {
		figures := benchFigures(b)
		if len(b.Errors) > 0 || len(figures) == 0 || r.Interrupted {
			continue
		}
		lock := known[b.Backend]
		l := ledger.Line{
			Kind: ledger.Bench, Server: lock.Topology, Flags: s.measured(), Grade: ledger.Taken, Figures: figures,
			Duration: s.Duration.Milliseconds(), ServerVersion: strings.Join(b.Servers, ", "),
		}
		if err := k.Note(lock, l); err != nil {
			return err
		}
	}
	return nil
}

// measured are the flags that decide what is measured of one lock.
func (s benchSpec) measured() string {
	return fmt.Sprintf("--clients %s --waiters %s --duration %s --hold %s --ttl %s", numbers(s.Clients), numbers(s.Waiters), s.Duration, s.Hold, s.TTL)
}

// numbers writes numbers as a flag has them.
func numbers(list []int) (text string) {
	for i, n := range list {
		if i > 0 {
			text += ","
		}
		text += fmt.Sprint(n)
	}
	return text
}

// benchFigures are the figures of an exclusive lock that the ledger keeps: times in microseconds,
// hand-overs a second. The intervals are quartiles of slices.
func benchFigures(b bench.Backend) (list []ledger.Figure) {
	const microsecond = 1e3
	for _, u := range b.Uncontended {
		m := u.Side(bench.LockSide)
		if u.Mode != bench.Exclusive || m == nil {
			continue
		}
		list = append(list, ledger.Figure{Name: fmt.Sprintf("acquire_us/%d", u.Clients), Value: float64(m.Acquire.P50) / microsecond, N: int(m.Acquire.N)})
		if r := m.AcquireRatio; r != nil {
			list = append(list, ledger.Figure{Name: fmt.Sprintf("acquire_ratio/%d", u.Clients), Value: r.Value, Low: r.Low, High: r.High})
		}
	}
	for _, c := range b.Contended {
		if c.Side != bench.LockSide || c.Mode != bench.Exclusive {
			continue
		}
		h := c.HandOvers
		list = append(list, ledger.Figure{Name: fmt.Sprintf("hand_overs/%d", c.Clients), Value: h.Median, Low: h.Low, High: h.High, N: int(c.Grants)})
		if c.Commands > 0 {
			list = append(list, ledger.Figure{Name: fmt.Sprintf("commands/%d", c.Clients), Value: c.Commands})
		}
	}
	return list
}
