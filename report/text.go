package report

import (
	"fmt"
	"io"
	"strings"

	"locktorture/checker"
	"locktorture/internal/exit"
	"locktorture/report/verdict"
	"locktorture/report/words"
)

// Text writes the result for a terminal, in the order in which it is read: the verdict, the
// incidents with the faults that they are blamed on, what was lost, the promises, what the verdict
// rests on, and how to get it again. No line is longer than the terminal is wide, unless one
// word is. With colour it marks the verdict and the promises; the words stay the same.
func Text(w io.Writer, run Run, res checker.Result, look Look) error {
	p := &printer{w: w, Look: look.within()}
	p.verdict(run, res)
	p.incidents(res)
	p.line("")
	p.lost(res)
	p.promises(res)
	p.coverage(run, res)
	p.ttl(run, res)
	for _, s := range res.Warnings {
		p.fact("warning", words.Sentence(s))
	}
	for _, s := range run.LeftOut {
		p.fact("left out", words.Sentence(s))
	}
	if run.Exit != 0 {
		p.again(run)
	}
	return p.err
}

func gradeMark(run Run, res checker.Result) string {
	switch g := verdict.Grade(res); {
	case g == checker.Unsafe, res.Failed, run.Exit == exit.Harness, run.Exit == exit.Driver:
		return bad
	case run.Exit == exit.Interrupted: // it is no pass
		return warn
	case g == checker.Safe, g == checker.FencedG:
		return good
	}
	return warn
}

func (p *printer) verdict(run Run, res checker.Result) {
	head := verdict.Label(res)
	switch run.Exit {
	case exit.Harness:
		head = "harness failed"
	case exit.Driver:
		head = "driver failed"
		if run.Options.IsApp() {
			head = "the program failed"
		}
	}
	p.marked(gradeMark(run, res), head, " – "+strings.TrimPrefix(verdict.Headline(res), "the "+head+": "))
	p.text(Title(run, res))
	if why := blame(res); why != "" {
		p.text(why)
	}
	if run.Expect != "" {
		p.fact("expected", words.Word(run.Expect))
	}
}

// blame says who broke exclusion, and why no fence helped.
func blame(res checker.Result) string {
	var parts []string
	switch res.BrokenBy {
	case checker.TheLock:
		parts = append(parts, "The lock broke its promise"+unsound(res)+".")
	case checker.TheHolder:
		parts = append(parts, "A holder overstayed; the lock kept its promise.")
	}
	for _, p := range res.Properties {
		if p.Name == checker.Fencing && p.Status == checker.NotApplicable && res.Grade == checker.Unsafe {
			parts = append(parts, capital(words.Sentence(p.Reason))+".")
		}
	}
	if res.Harness {
		parts = append(parts, "The harness is at fault, not the lock.")
	}
	return strings.Join(parts, " ")
}

// unsound says that the tokens of a lock are a part of what it broke.
func unsound(res checker.Result) string {
	for _, p := range res.Properties {
		if p.Name == checker.Fencing && p.Status == checker.Violated {
			return ": its tokens are unsound"
		}
	}
	return ""
}

func capital(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// Title names a run and, if it was ended early, when.
func Title(run Run, res checker.Result) string {
	if res.Ended == "" || run.Scenario != "" {
		return Headline(run)
	}
	after := fmt.Sprintf("%s after %s of %s", words.Sentence(res.Ended), words.Span(res.Counts.Duration), words.Span(int64(run.Duration)))
	return strings.Replace(Headline(run), words.Span(int64(run.Duration)), after, 1)
}

func (p *printer) again(run Run) {
	for _, c := range []struct{ name, command string }{{"reproduce", run.Reproduce}, {"check", run.CheckAgain}} {
		if c.command == "" {
			continue
		}
		if run.Recorded && c.name == "reproduce" {
			p.recorded(c.command)
			continue
		}
		for _, line := range words.Command(fmt.Sprintf("%-*s", label, c.name), words.Clean(c.command, 10*words.MaxSentence), p.Width) {
			p.line(line)
		}
	}
}

// recorded shows a command of a run that may be a stranger's: as comments, so that a shell does
// nothing with what is copied.
func (p *printer) recorded(command string) {
	for _, line := range words.Hang("to run it again, as its run.json says (read the command first): "+words.Clean(command, 10*words.MaxSentence), p.Width-len("# ")) {
		p.line("# " + line)
	}
}
