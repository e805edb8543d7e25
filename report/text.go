package report

import (
	"fmt"
	"io"

	"locktorture/checker"
	"locktorture/report/verdict"
	"locktorture/report/words"
)

// Text writes the result for a terminal: the verdict in its first line, then
// the evidence, and, if the exit code is not 0, how to get it again in the
// last two. With color it marks grades and statuses; the words stay the same.
func Text(w io.Writer, run Run, res checker.Result, color bool) error {
	p := &printer{w: w, color: color}
	p.verdict(run, res)
	p.properties(res)
	p.faults(res)
	p.stores(res)
	p.counts(res)
	p.measures(res.Measures)
	for _, s := range res.Warnings {
		p.linef("warning   %s", words.Sentence(s))
	}
	for _, s := range run.LeftOut {
		p.linef("left out  %s", words.Sentence(s))
	}
	if run.Exit != 0 {
		p.again(run)
	}
	return p.err
}

// A printer writes lines and remembers the first error.
type printer struct {
	w     io.Writer
	color bool
	err   error
}

func (p *printer) linef(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

// SGR codes of the marks: bold red, bold yellow, bold green.
const (
	bad  = "1;31"
	warn = "1;33"
	good = "1;32"
)

func (p *printer) mark(code, s string) string {
	if !p.color || code == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func gradeMark(res checker.Result) string {
	switch g := verdict.Grade(res); {
	case g == checker.Unsafe, verdict.ByLock(g, res.BrokenBy):
		return bad
	case g == checker.Safe, g == checker.FencedG:
		return good
	}
	return warn
}

func statusMark(status string) string {
	switch status {
	case checker.Kept:
		return good
	case checker.Violated:
		return bad
	case checker.NotChecked:
		return warn
	}
	return ""
}

func (p *printer) verdict(run Run, res checker.Result) {
	g := verdict.Grade(res)
	p.linef("%s  %s – %s", p.mark(gradeMark(res), words.Word(string(g))), Headline(run), verdict.Sentence(res))
	if res.Reason != "" {
		p.linef("because   %s", words.Sentence(res.Reason))
	}
	if res.Bound != "" {
		p.linef("bound     %s", words.Sentence(res.Bound))
	}
	if res.Harness {
		p.linef("harness   the fault is one of the harness, not of the lock")
	}
	if run.Expect != "" {
		p.linef("expected  %s", words.Word(run.Expect))
	}
}

func (p *printer) again(run Run) {
	if run.Reproduce != "" {
		p.linef("reproduce: %s", words.Clean(run.Reproduce, 10*words.MaxSentence))
	}
	if run.CheckAgain != "" {
		p.linef("check again: %s", words.Clean(run.CheckAgain, 10*words.MaxSentence))
	}
}
