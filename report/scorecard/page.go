// Package scorecard shows a matrix, which is many runs of many locks: as a table for a
// terminal or a job summary, as JUnit, and as one page with grades, measures and what others
// claim. It sums up verdicts (Try, Row) and gives none.
package scorecard

import (
	"bytes"
	"embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"locktorture/checker"
	"locktorture/internal/figures"
	"locktorture/report/frame"
	"locktorture/report/verdict"
	"locktorture/report/words"
)

//go:embed assets
var assets embed.FS

// A Lock is what a score card says about a lock beside its verdicts.
type Lock struct {
	Name, About string
	Family      string // "Redis", "etcd", …: whose comparison it belongs to
	Clock       string // on which its leases run
	Reentrancy  string // as declared: "yes", "no", or why it is not known
}

// A Claim is what the usual comparison tables say about a family of locks.
type Claim struct{ Family, Aspect, Says string }

// A Card is what a score card is made of.
type Card struct {
	When   time.Time
	Commit string
	Rows   []Row
	Locks  []Lock
	Claims []Claim
	Trend  []Point
}

// A view is what the template of the score card sees.
type view struct {
	frame.Frame
	When, Commit string
	Summary      string
	Nemeses      []string
	Workloads    []string
	Locks        []lockLine
	Columns      []string
	Claims       []claimLine
	Differs      []Row
	Nights       []trendLine
	Days         []string
}

// A lockLine is a lock with its grades and measures, as text.
type lockLine struct {
	Lock
	Grades   [][]gradeMarkLine // for each nemesis, one for each workload
	Measures []finding
}

// A gradeMarkLine is one grade with the run that it comes from.
type gradeMarkLine struct {
	Workload, Class, Text, Link, Title string
	Differs                            bool
}

// A finding is one property or measure of a lock.
type finding struct{ Text, Link, Class string }

// Write writes the page of a matrix: one self-contained file, with
// relative links to the reports of the runs.
func Write(w io.Writer, c Card) error {
	head, err := frame.New("torture: score card", nil)
	if err != nil {
		return err
	}
	style, err := assets.ReadFile("assets/scorecard.css")
	if err != nil {
		return err
	}
	head.AddStyle(style)
	t, err := frame.Parse("scorecard.html.tmpl", nil, assets)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, c.page(head)); err != nil {
		return fmt.Errorf("score card: %w", err)
	}
	_, err = w.Write(b.Bytes())
	return err
}

func (c Card) page(head frame.Frame) view {
	p := view{Frame: head, When: words.Started(c.When), Commit: words.Word(c.Commit), Columns: lockColumns}
	for _, r := range c.Rows {
		p.Nemeses = with(p.Nemeses, r.Nemesis)
		p.Workloads = with(p.Workloads, r.Workload)
		if r.Differs != "" {
			p.Differs = append(p.Differs, r)
		}
	}
	for _, l := range c.Locks {
		own := rowsOf(c.Rows, l.Name)
		if len(own) > 0 {
			p.Locks = append(p.Locks, lockLine{Lock: l, Grades: gradeCells(own, p.Nemeses), Measures: lockMeasures(l, own)})
		}
	}
	p.Summary = Counts(c.Rows) + "."
	p.Claims = c.claims()
	p.Nights, p.Days = c.nights()
	return p
}

func with(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

func rowsOf(rows []Row, backend string) []Row {
	var out []Row
	for _, r := range rows {
		if r.Backend == backend {
			out = append(out, r)
		}
	}
	return out
}

// Counts counts the cells by what they came to: "4 cells of 2 locks: 1 unsafe, 1 safe, 2 not
// applicable".
func Counts(rows []Row) string {
	tally, rest := map[string]int{}, map[string]int{}
	locks := map[string]bool{}
	for _, r := range rows {
		locks[r.Backend] = true
		if r.Seeds > 0 {
			tally[verdict.Word(r.Grade, r.BrokenBy)]++
		} else {
			rest[r.State]++
		}
	}
	var parts []string
	if grades := gradesLine(tally); grades != "" {
		parts = append(parts, grades)
	}
	for _, state := range WithoutVerdict() {
		if rest[state] > 0 {
			parts = append(parts, words.Count(rest[state])+" "+state)
		}
	}
	return fmt.Sprintf("%s of %s: %s", words.Plural(len(rows), "cell", "cells"), words.Plural(len(locks), "lock", "locks"), strings.Join(parts, ", "))
}

// gradeCells returns the grades of a lock, for each nemesis one for each workload.
func gradeCells(own []Row, nemeses []string) [][]gradeMarkLine {
	out := make([][]gradeMarkLine, len(nemeses))
	for i, n := range nemeses {
		for _, r := range own {
			if r.Nemesis == n {
				out[i] = append(out[i], gradeCell(r))
			}
		}
	}
	return out
}

func gradeCell(r Row) gradeMarkLine {
	m := gradeMarkLine{Workload: words.Word(r.Workload), Differs: r.Differs != ""}
	if r.Seeds == 0 {
		m.Text, m.Title = map[string]string{NotPossible: "n/a"}[r.State], words.Sentence(r.Reason)
		if m.Text == "" {
			m.Text = r.State
		}
		return m
	}
	m.Class, m.Text, m.Link = verdict.ResultClass(checker.Result{Grade: r.Grade, BrokenBy: r.BrokenBy, Failed: r.Failed}), words.Word(verdict.Word(r.Grade, r.BrokenBy)), reportOf(r.Dir)
	if r.Seeds > 1 {
		m.Text = r.Grades
	}
	if r.Grade == checker.Safe {
		m.Text += fmt.Sprintf(" (< %s)", figures.Percent(figures.AtMost(0, r.Seeds)))
	}
	if beside := besideKinds(r); beside != "" {
		m.Text += " + " + beside
	}
	m.Title = words.Sentence(fmt.Sprintf("%s; %s; %d of %d faults took effect", r.Grades, incidentsLine(r.Incidents, r.Anomalies), r.Bites, r.Faults))
	return m
}

// reportOf returns the address of the report of a run.
func reportOf(dir string) string {
	if dir == "" {
		return ""
	}
	return dir + "/report.html"
}
