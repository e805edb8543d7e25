package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"locktorture/checker"
	"locktorture/report"
)

// notPossible is what is expected of a cell whose fault cannot be injected.
const notPossible = "n/a"

// A cellExpectation is what a cell must come to, in any case and by workload.
type cellExpectation struct {
	text       string // as written; "" if only workloads are named
	byWorkload map[string]string
}

// expectations are what each backend must come to under each set of faults.
// A nil one expects nothing and complains about nothing.
type expectations map[string]map[string]cellExpectation

// readExpectations reads a file that says, for backend → nemesis, either
// GRADE[+anomaly…] or n/a, or that by workload. It is strict: a name that
// does not exist, a grade, an anomaly or a key that is there twice is an
// error that names the line.
func readExpectations(path string) (expectations, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("%s: %s", path, strings.TrimPrefix(err.Error(), "yaml: ")) // it names the line
	}
	if len(doc.Content) == 0 {
		return nil, fmt.Errorf("%s: nothing is expected", path)
	}
	f := expectFile{driversFile{path: path}}
	all := expectations{}
	err = f.each(doc.Content[0], lockNamesKnown(), func(backend string, v *yaml.Node) error {
		all[backend] = map[string]cellExpectation{}
		return f.each(v, nil, func(nemesis string, v *yaml.Node) error {
			sets, err := nemesisSets([]string{nemesis})
			if err != nil || nemesis == "all" || sets[0] != nemesis {
				return f.wrong(v, "no nemesis is called %q, or it is not in order: none, or names in alphabetical order joined by +", nemesis)
			}
			all[backend][nemesis], err = f.cell(v)
			return err
		})
	})
	return all, err
}

// lockNamesKnown are the names of all locks, also of drivers whose runtimes are not here.
func lockNamesKnown() []string {
	names := slices.Collect(maps.Keys(backends()))
	for _, path := range driverFiles() {
		entries, _ := readDrivers(path) // checkConfig has told the error
		names = slices.AppendSeq(names, maps.Keys(entries))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// An expectFile is a file of expectations that is being read.
type expectFile struct{ driversFile }

func (f expectFile) cell(n *yaml.Node) (c cellExpectation, err error) {
	if n.Kind == yaml.ScalarNode {
		c.text, err = f.verdict(n)
		return c, err
	}
	c.byWorkload = map[string]string{}
	err = f.each(n, slices.Sorted(maps.Keys(workloadsByName())), func(workload string, v *yaml.Node) (err error) {
		c.byWorkload[workload], err = f.verdict(v)
		return err
	})
	return c, err
}

func (f expectFile) verdict(n *yaml.Node) (string, error) {
	if n.Kind != yaml.ScalarNode {
		return "", f.wrong(n, "a grade is needed here: GRADE[+anomaly…] or %s", notPossible)
	}
	if n.Value == notPossible {
		return n.Value, nil
	}
	if _, err := checker.ParseExpectation(n.Value); err != nil {
		return "", f.wrong(n, "%v", err)
	}
	return n.Value, nil
}

// of returns what is expected of a cell; "" if nothing is said about it.
func (e expectations) of(backend, nemesis, workload string) string {
	c := e[backend][nemesis]
	if text, ok := c.byWorkload[workload]; ok {
		return text
	}
	return c.text
}

// judge notes in each row how it differs from what is expected of it. Seeds is
// the number of verdicts that a cell needs; one that is unknown does not count.
func (e expectations) judge(rows []report.Row, seeds int) {
	if e == nil {
		return
	}
	for i := range rows {
		r := &rows[i]
		r.Expected = e.of(r.Backend, r.Nemesis, r.Workload)
		r.Differs = differs(r.Expected, *r, seeds)
	}
}

// differs says how a row differs from an expectation; "" if it does not, or
// if it was not run: that is neither.
func differs(expected string, r report.Row, seeds int) string {
	switch {
	case r.State == report.NotRun && r.Seeds == 0, r.State == report.NotServed, r.State == report.HarnessFailed:
		return ""
	case expected == "" && r.State == report.NotPossible:
		return "nothing is expected of it, not even " + notPossible
	case expected == "":
		return "nothing is expected of it, got " + r.Grades
	case r.State == report.NotPossible && expected != notPossible:
		return fmt.Sprintf("expected %s, but the fault is not possible: %s", expected, r.Reason)
	case r.State == report.NotPossible:
		return ""
	case expected == notPossible:
		return "expected that the fault is not possible, got " + r.Grades
	}
	want, err := checker.ParseExpectation(expected)
	if err != nil {
		return err.Error() // the file was checked
	}
	seen, known := r.Union()
	if known == 0 {
		return fmt.Sprintf("expected %s, got unknown", expected)
	}
	if seen.Grade != want.Grade {
		return fmt.Sprintf("expected %s, got %s", expected, seen.Grade)
	}
	for _, d := range []string{want.Differs(seen), beside(want, seen)} {
		if d != "" {
			return fmt.Sprintf("not %s: %s", expected, d)
		}
	}
	if asked := min(seeds, len(r.Tries)); known < asked && r.State == report.Tried {
		return fmt.Sprintf("expected %s: %d of %d verdicts are unknown", expected, asked-known, asked)
	}
	return ""
}

// beside finds anomalies that a lock which is expected to be safe must not
// have, and that Expectation.Differs does not look at.
func beside(want checker.Expectation, seen checker.Result) string {
	if want.Grade != checker.Safe {
		return ""
	}
	for _, kind := range slices.Sorted(maps.Keys(seen.Counts.Anomalies)) {
		if seen.Counts.Anomalies[kind] > 0 && !slices.Contains(want.Anomalies, kind) {
			return "unexpected " + kind
		}
	}
	return ""
}

// curable reports whether more seeds could bring what was expected: what was
// not seen yet may come, what was seen and must not be stays.
func curable(expected string, r report.Row, seeds int) bool {
	want, err := checker.ParseExpectation(expected)
	if err != nil || differs(expected, r, seeds) == "" || r.State != report.Tried {
		return false
	}
	seen, known := r.Union()
	if known == 0 {
		return true
	}
	if report.Badness(seen.Grade) > report.Badness(want.Grade) || beside(want, seen) != "" {
		return false
	}
	// What stands beside the grade and was not expected stays, whatever comes.
	return checker.Expectation{Grade: seen.Grade, Anomalies: seenOf(want, seen)}.Differs(seen) == ""
}

// seenOf are the expected anomalies that were seen.
func seenOf(want checker.Expectation, seen checker.Result) []string {
	var out []string
	for _, a := range want.Anomalies {
		if seen.Counts.Anomalies[a] > 0 {
			out = append(out, a)
		}
	}
	return out
}

// writeExpectations writes what the rows came to as a file of expectations,
// for a reader who decides whether that is right.
func writeExpectations(w io.Writer, rows []report.Row) error {
	var b bytes.Buffer
	b.WriteString("# What a matrix found, in the form of an expectation. Cells that were not run or are unknown are left out.\n")
	last := [2]string{}
	for _, r := range rows {
		text := notPossible
		if r.State != report.NotPossible {
			seen, known := r.Union()
			if known == 0 {
				continue
			}
			text = strings.Join(append([]string{string(seen.Grade)}, kindsOf(seen)...), "+")
		}
		if r.Backend != last[0] {
			fmt.Fprintf(&b, "%s:\n", r.Backend)
		}
		if r.Backend != last[0] || r.Nemesis != last[1] {
			fmt.Fprintf(&b, "  %s:\n", r.Nemesis)
		}
		last = [2]string{r.Backend, r.Nemesis}
		fmt.Fprintf(&b, "    %s: %s\n", r.Workload, text)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// kindsOf are the anomalies of a result in the order of the checker's table.
func kindsOf(r checker.Result) []string {
	var out []string
	for _, k := range checker.Kinds() {
		if r.Counts.Anomalies[k] > 0 {
			out = append(out, k)
		}
	}
	return out
}
