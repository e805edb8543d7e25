package nemesis

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// WriteSchedule writes the steps as JSON, one a line. Durations are whole numbers of nanoseconds.
func WriteSchedule(out io.Writer, steps []Step) error {
	enc := json.NewEncoder(out)
	for _, s := range steps {
		if err := enc.Encode(s); err != nil {
			return fmt.Errorf("write schedule: %w", err)
		}
	}
	return nil
}

// ReadSchedule reads a schedule in the form of WriteSchedule, which may be written by hand. An
// error names the line and the cause: an unknown field, a fault that is not in kinds (with the
// nearest name as a suggestion), a client or node that the world does not have, steps that are not
// numbered in the order of their times, or a fault that is impossible in this world.
func ReadSchedule(in io.Reader, w *World, kinds Kinds) ([]Step, error) {
	var steps []Step
	lines := bufio.NewScanner(in)
	for n := 1; lines.Scan(); n++ {
		s, err := parseStep(lines.Bytes())
		if err == nil {
			err = checkStep(s, w, kinds)
		}
		if err == nil {
			err = checkOrder(steps, s)
		}
		if err != nil {
			return nil, fmt.Errorf("schedule line %d: %w", n, err)
		}
		steps = append(steps, s)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("schedule line %d: %w", len(steps)+1, err)
	}
	return steps, nil
}

// parseStep parses one line, which must hold exactly one object.
func parseStep(line []byte) (Step, error) {
	var s Step
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&s); err != nil {
		if errors.Is(err, io.EOF) {
			err = errors.New("is empty")
		}
		return s, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return s, errors.New("holds more than one object")
	}
	return s, nil
}

// checkStep checks a step against the registry and the shape of the world.
func checkStep(s Step, w *World, kinds Kinds) error {
	n, ok := kinds[s.Fault]
	if !ok {
		return &UnknownError{s.Fault}
	}
	if s.Holder < 0 || s.Holder > len(w.Clients) {
		return fmt.Errorf("there is no client %d to hold the lock: they are numbered from 1 to %d", s.Holder, len(w.Clients))
	}
	for _, c := range s.Clients {
		if c < 1 || c > len(w.Clients) {
			return fmt.Errorf("there is no client %d: they are numbered from 1 to %d", c, len(w.Clients))
		}
	}
	for _, i := range s.Nodes {
		if i < 0 || i >= len(w.Nodes) {
			return fmt.Errorf("there is no node %d: they are numbered from 0 to %d", i, len(w.Nodes)-1)
		}
	}
	for _, d := range []time.Duration{s.At, s.For, s.Delay, s.Jitter} {
		if d < 0 {
			return fmt.Errorf("a duration is negative: %v", d)
		}
	}
	if err := n.Supports(w); err != nil {
		return fmt.Errorf("fault %s: %w", s.Fault, err)
	}
	if c, ok := n.(Checker); ok {
		if err := c.Check(w, s); err != nil {
			return fmt.Errorf("fault %s: %w", s.Fault, err)
		}
	}
	return nil
}

// checkOrder returns an error unless s may follow the steps.
func checkOrder(steps []Step, s Step) error {
	last := Step{}
	if len(steps) > 0 {
		last = steps[len(steps)-1]
	}
	if s.N <= last.N {
		return fmt.Errorf("number %d does not follow number %d", s.N, last.N)
	}
	if s.At < last.At {
		return fmt.Errorf("step %d is before step %d: %v < %v", s.N, last.N, s.At, last.At)
	}
	return nil
}

// An UnknownError reports a name that no fault has.
type UnknownError struct{ Fault string }

func (e *UnknownError) Error() string { return fmt.Sprintf("there is no fault %q", e.Fault) }
