package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"locktorture/checker"
	"locktorture/report/verdict"
	"locktorture/report/words"
)

// A Case is one test case of a JUnit file. At most one of Failure, Error and
// Skipped is set; a case with none of them passed.
type Case struct {
	Class   string // "redlock.seckill.clock"
	Name    string
	Time    time.Duration
	Failure string // one sentence: the witness
	Kind    string // of the failure or error: "double-grant", "unknown"
	Error   string // not judged: the harness failed, or the outcome is unknown
	Skipped string // why it was not run
	Detail  string // more text of a failure or error
	Out     string // shown as the output of the case
}

// JUnit writes the cases as one test suite in the format that Jenkins,
// GitLab and the usual actions read (junit-10.xsd).
func JUnit(w io.Writer, cases []Case) error {
	suite := xmlSuite{Name: "torture", Tests: len(cases)}
	var total time.Duration
	for _, c := range cases {
		x := toXML(c)
		suite.Cases = append(suite.Cases, x)
		total += c.Time
		switch {
		case x.Error != nil:
			suite.Errors++
		case x.Failure != nil:
			suite.Failures++
		case x.Skipped != nil:
			suite.Skipped++
		}
	}
	suite.Time = seconds(total)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(suite); err != nil {
		return fmt.Errorf("write junit: %w", err)
	}
	_, err := io.WriteString(w, "\n")
	return err
}

type xmlSuite struct {
	XMLName  xml.Name  `xml:"testsuite"`
	Name     string    `xml:"name,attr"`
	Tests    int       `xml:"tests,attr"`
	Failures int       `xml:"failures,attr"`
	Errors   int       `xml:"errors,attr"`
	Skipped  int       `xml:"skipped,attr"`
	Time     string    `xml:"time,attr"`
	Cases    []xmlCase `xml:"testcase"`
}

type xmlCase struct {
	Class   string   `xml:"classname,attr"`
	Name    string   `xml:"name,attr"`
	Time    string   `xml:"time,attr"`
	Skipped *xmlNote `xml:"skipped"`
	Error   *xmlNote `xml:"error"`
	Failure *xmlNote `xml:"failure"`
	Out     string   `xml:"system-out,omitempty"`
}

type xmlNote struct {
	Type    string `xml:"type,attr,omitempty"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

func toXML(c Case) xmlCase {
	x := xmlCase{Class: words.Clean(c.Class, words.MaxSentence), Name: words.Clean(c.Name, words.MaxSentence), Time: seconds(c.Time), Out: lines(c.Out)}
	switch {
	case c.Error != "":
		x.Error = &xmlNote{words.Word(c.Kind), words.Sentence(c.Error), lines(c.Detail)}
	case c.Failure != "":
		x.Failure = &xmlNote{words.Word(c.Kind), words.Sentence(c.Failure), lines(c.Detail)}
	case c.Skipped != "":
		x.Skipped = &xmlNote{Message: words.Sentence(c.Skipped)}
	}
	return x
}

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 3, 64) }

// lines cleans a text of several lines and keeps its newlines.
func lines(s string) string {
	list := strings.Split(s, "\n")
	for i := range list {
		list[i] = words.Sentence(list[i])
	}
	return boundLines(list)
}

// boundLines joins lines up to a bound on the whole.
func boundLines(list []string) string {
	const limit = 200
	if len(list) > limit {
		list = append(list[:limit:limit], fmt.Sprintf("… (%d more lines)", len(list)-limit))
	}
	return strings.Join(list, "\n")
}

// Cases turns the result of a run into test cases: one for the verdict, which
// fails as the run does, and one for each property. A violated property fails
// too, unless the run ended as it was expected to.
func Cases(run Run, res checker.Result) []Case {
	class := strings.Join([]string{run.Backend, run.Workload, words.List(run.Nemeses, "+", "none")}, ".")
	took := time.Duration(res.Counts.Duration)
	line := verdict.Label(res) + ": " + verdict.Headline(res)
	verdict := Case{Class: class, Name: "verdict", Time: took, Kind: string(verdict.Grade(res)), Out: outLine(run, res)}
	again := "reproduce: "
	if run.Recorded {
		again = "reproduce, as its run.json says: # "
	}
	tail := again + words.Clean(run.Reproduce, 10*words.MaxSentence) + "\ncheck again: " + run.CheckAgain
	switch run.Exit {
	case 0:
	case 1:
		verdict.Failure, verdict.Detail = line, strings.Join(append(incidentLines(res), tail), "\n")
	default:
		verdict.Error, verdict.Detail = line, tail
	}
	cases := []Case{verdict}
	for _, p := range res.Properties {
		cases = append(cases, propertyCase(class, run, res, p))
	}
	return cases
}

// incidentLines tell of each incident in a line.
func incidentLines(res checker.Result) []string {
	var out []string
	for _, i := range res.Incidents.List {
		line := fmt.Sprintf("incident %d, %s, %s: %s", i.Number, verdict.Lasted(i), i.PutDownTo().Name(), verdict.Found(i.Anomalies))
		if cost := verdict.Cost(i); cost != "" {
			line += "; " + cost + " lost"
		}
		out = append(out, line+": "+i.Witness.Sentence)
	}
	return out
}

func outLine(run Run, res checker.Result) string {
	return verdict.Label(res) + "  " + Title(run, res) + " – " + verdict.Headline(res)
}

func propertyCase(class string, run Run, res checker.Result, p checker.Property) Case {
	c := Case{Class: class, Name: p.Name}
	var detail []string
	for _, k := range verdict.Kinds(res, p) {
		detail = append(detail, fmt.Sprintf("%s ×%d: %s", k.Kind, k.Total, k.First.Sentence))
	}
	switch {
	case p.Status == checker.NotApplicable:
		c.Skipped = "not applicable: " + p.Reason
	case p.Status == checker.Violated && run.Exit != 0 && len(p.Anomalies) > 0:
		c.Kind, c.Failure, c.Detail = p.Anomalies[0].Kind, p.Anomalies[0].Sentence, strings.Join(detail, "\n")
	case p.Status == checker.Violated && run.Exit != 0:
		c.Kind, c.Failure = p.Name, p.Name+" violated: "+p.Reason
	case p.Status == checker.NotChecked:
		c.Skipped = "unknown: " + p.Reason
	default:
		c.Out = strings.Join(detail, "\n")
	}
	return c
}
