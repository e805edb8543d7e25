package schedule

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"locktorture/internal/suggest"
)

// A Schedule holds the faults of a run. Faults at the same point strike in the order of the
// schedule.
type Schedule []Decision

// Limits of a schedule.
const (
	MostDecisions = 1000
	MostBytes     = 1 << 18
	mostLine      = 1000
)

// String returns the schedule as text, one line for each decision.
func (s Schedule) String() string {
	var b strings.Builder
	for _, d := range s {
		b.WriteString(d.String())
		b.WriteByte('\n')
	}
	return b.String()
}

// Parse parses a schedule. An error names the line and its fault.
func Parse(text string) (Schedule, error) {
	if len(text) > MostBytes {
		return nil, fmt.Errorf("a schedule has at most %d bytes, this one %d", MostBytes, len(text))
	}
	var s Schedule
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		d, err := ParseDecision(line)
		if err == nil && len(s) == MostDecisions {
			err = fmt.Errorf("a schedule has at most %d faults", MostDecisions)
		}
		if err != nil {
			return nil, fmt.Errorf("schedule line %d: %q: %w", n, suggest.Short(line, 2*suggest.Shown), err)
		}
		s = append(s, d)
	}
	return s, nil
}

// ParseDecision parses one line.
func ParseDecision(line string) (Decision, error) {
	if len(line) > mostLine {
		return Decision{}, fmt.Errorf("a line has at most %d bytes, this one %d", mostLine, len(line))
	}
	rest, begins := strings.CutPrefix(line, "at ")
	at, what, whole := strings.Cut(rest, ": ")
	words := strings.Fields(what)
	if !begins || !whole || len(words) == 0 {
		return Decision{}, errors.New(`a line is "at POINT: KIND [nodes=N,…|leader] [by=TIME] [for=TIME] [data=lost]"`)
	}
	p, err := ParsePoint(at)
	if err != nil {
		return Decision{}, err
	}
	d := Decision{At: p, Kind: Kind(words[0])}
	if _, ok := Forms()[d.Kind]; !ok {
		return d, unknown(d.Kind)
	}
	given := map[string]bool{}
	for _, word := range words[1:] {
		name, value, _ := strings.Cut(word, "=")
		if given[name] {
			return d, fmt.Errorf("%s= is given twice", name)
		}
		given[name] = true
		if err := d.set(name, value); err != nil {
			return d, err
		}
	}
	return d, d.Check()
}

// set sets one parameter.
func (d *Decision) set(name, value string) (err error) {
	switch name {
	case "nodes":
		if d.Leader = value == leader; !d.Leader {
			d.Nodes, err = numbers(value)
		}
	case "by":
		d.By, err = duration(name, value)
	case "for":
		d.For, err = duration(name, value)
	case "data":
		if d.Lost = value == "lost"; !d.Lost {
			err = errors.New("data= must be lost, or left out")
		}
	default:
		err = fmt.Errorf("parameter: %w", suggest.Among(name, []string{"nodes", "by", "for", "data"}))
	}
	return err
}

func numbers(text string) ([]int, error) {
	var all []int
	for word := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(word)
		if err != nil {
			return nil, fmt.Errorf("nodes= takes leader, or numbers with commas, such as 1,2,5, not %q", suggest.Short(text, suggest.Shown))
		}
		all = append(all, n)
	}
	return all, nil
}

func duration(name, text string) (time.Duration, error) {
	t, err := time.ParseDuration(text)
	if err != nil || t == 0 {
		return 0, fmt.Errorf("%s= takes a time, such as 458ms or 1.5s, not %q", name, suggest.Short(text, suggest.Shown))
	}
	return t, nil
}

// Check returns nil, or the reason why a run with this number of clients and servers cannot have
// the schedule.
func (s Schedule) Check(clients, nodes int) error {
	for i, d := range s {
		err := d.Check()
		if err == nil && d.At.Client > clients {
			err = fmt.Errorf("there is no client %d: they are numbered from 1 to %d", d.At.Client, clients)
		}
		for _, n := range append([]int{d.At.Node}, d.Nodes...) {
			if err == nil && n > nodes {
				err = fmt.Errorf("there is no server %d: they are numbered from 1 to %d", n, nodes)
			}
		}
		if err != nil {
			return fmt.Errorf("fault %d, %q: %w", i+1, d, err)
		}
	}
	return nil
}
