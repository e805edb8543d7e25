package report

import (
	"bytes"
	"fmt"
	"html/template"
	"io"
	"slices"
	"time"
)

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

// cardPage is what the template of the score card sees.
type cardPage struct {
	Frame
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
	Measures []measured1
}

// A gradeMarkLine is one grade with the run that it comes from.
type gradeMarkLine struct {
	Workload, Class, Text, Link, Title string
	Differs                            bool
}

// A measured1 is one property or measure of a lock.
type measured1 struct{ Text, Link, Class string }

// ScoreCard writes the page of a matrix: one self-contained file, with
// relative links to the reports of the runs.
func ScoreCard(w io.Writer, c Card) error {
	head, err := newFrame("torture: score card", nil)
	if err != nil {
		return err
	}
	style, err := assets.ReadFile("assets/scorecard.css")
	if err != nil {
		return err
	}
	head.Style += template.CSS(style)
	head.Policy = fmt.Sprintf("default-src 'none'; style-src '%s'; img-src data:; base-uri 'none'; form-action 'none'", digest(string(head.Style)))
	t, err := template.New("scorecard.html.tmpl").Funcs(funcs()).ParseFS(assets, "assets/scorecard.html.tmpl")
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

func (c Card) page(head Frame) cardPage {
	p := cardPage{Frame: head, When: started(c.When), Commit: word(c.Commit), Columns: lockColumns}
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
	p.Summary = c.summary()
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

// summary counts the cells by what they came to.
func (c Card) summary() string {
	tally, rest := map[string]int{}, map[string]int{}
	locks := map[string]bool{}
	for _, r := range c.Rows {
		if r.Seeds > 0 {
			tally[gradeWord(r.Grade, r.BrokenBy)]++
			locks[r.Backend] = true
		} else {
			rest[r.State]++
		}
	}
	s := fmt.Sprintf("%s of %s: %s", plural(len(c.Rows), "cell", "cells"), plural(len(locks), "lock", "locks"), gradesLine(tally))
	for _, state := range []string{NotPossible, NotServed, NotRun, Refused, HarnessFailed} {
		if rest[state] > 0 {
			s += fmt.Sprintf(", %s %s", count(rest[state]), state)
		}
	}
	return s + "."
}

// gradeCells are the grades of a lock, for each nemesis one for each workload.
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
	m := gradeMarkLine{Workload: word(r.Workload), Differs: r.Differs != ""}
	if r.Seeds == 0 {
		m.Text, m.Title = map[string]string{NotPossible: "n/a"}[r.State], sentence(r.Reason)
		if m.Text == "" {
			m.Text = r.State
		}
		return m
	}
	m.Class, m.Text, m.Link = gradeClass(r.Grade, r.BrokenBy), word(gradeWord(r.Grade, r.BrokenBy)), reportOf(r.Dir)
	if r.Seeds > 1 {
		m.Text = r.Grades
	}
	if beside := besideKinds(r); beside != "" {
		m.Text += " + " + beside
	}
	m.Title = sentence(fmt.Sprintf("%s; %s; %d of %d faults bit", r.Grades, anomaliesLine(r.Anomalies), r.Bites, r.Faults))
	return m
}

// reportOf is the address of the report of a run.
func reportOf(dir string) string {
	if dir == "" {
		return ""
	}
	return dir + "/report.html"
}
