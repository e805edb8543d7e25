package checker

import (
	"fmt"
	"slices"
	"strings"

	"locktorture/checker/incident"
)

// An Expectation is a grade plus the anomalies that must be there.
type Expectation struct {
	Grade     Grade
	Anomalies []string
}

// besideGrade are the properties whose anomalies fail a run unless they are expected by name.
var besideGrade = []string{incident.Ownership, incident.Liveness}

// ParseExpectation reads "unsafe" or "safe+deadlock".
func ParseExpectation(s string) (Expectation, error) {
	grade, rest, more := strings.Cut(s, "+")
	e := Expectation{Grade: Grade(grade)}
	switch e.Grade {
	case Safe, FencedG, Unsafe:
	case Unknown:
		return e, fmt.Errorf("expectation %q: unknown is never a pass", s)
	default:
		return e, fmt.Errorf("expectation %q: the grade must be safe, fenced or unsafe", s)
	}
	if more {
		e.Anomalies = strings.Split(rest, "+")
	}
	for _, a := range e.Anomalies {
		if !slices.Contains(Kinds(), a) {
			return e, fmt.Errorf("expectation %q: no anomaly is called %q; the anomalies are %s", s, a, strings.Join(Kinds(), ", "))
		}
	}
	return e, nil
}

// String returns the expectation in the form that ParseExpectation reads.
func (e Expectation) String() string {
	return strings.Join(append([]string{string(e.Grade)}, e.Anomalies...), "+")
}

// Differs says how a result differs from what was expected; "" if it does not.
func (e Expectation) Differs(r Result) string {
	if r.Grade != e.Grade {
		return fmt.Sprintf("expected %s, got %s", e.Grade, r.Grade)
	}
	for _, a := range e.Anomalies {
		if r.Counts.Anomalies[a] == 0 {
			return "expected " + a + ", none was found"
		}
	}
	return e.Unexpected(r)
}

// Unexpected names an anomaly that fails a run of the expected grade and that
// was not expected; "" if there is none. It does not look at the grade.
func (e Expectation) Unexpected(r Result) string {
	if kind := brokenPromise(r.Counts.Anomalies); kind != "" && !e.brokenPromise() {
		return "unexpected " + kind + ": " + TheLock.says()
	}
	for _, p := range r.Properties {
		if !slices.Contains(besideGrade, p.Name) {
			continue
		}
		for _, a := range p.Anomalies {
			if !slices.Contains(e.Anomalies, a.Kind) {
				return "unexpected " + a.Kind
			}
		}
	}
	return ""
}

// brokenPromise reports whether the lock may break its promise. An expected fenced that names
// only the holder's anomaly says that the lock must not.
func (e Expectation) brokenPromise() bool {
	own := slices.ContainsFunc(e.Anomalies, func(a string) bool { return slices.Contains(promiseKinds(), a) })
	switch e.Grade {
	case Unsafe:
		return true
	case FencedG:
		return own || !slices.Contains(e.Anomalies, incident.Overrun)
	}
	return own
}
