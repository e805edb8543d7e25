package report

import (
	"fmt"
	"strings"

	"locktorture/checker"
)

// grade is the word for a grade; the zero value is no verdict.
func grade(res checker.Result) checker.Grade {
	if res.Grade == "" {
		return checker.Unknown
	}
	return res.Grade
}

// gradeWord is a grade, and of a fenced who broke exclusion: "fenced (lock)".
// That the lock broke its promise fails a run, that a holder overstayed does not.
func gradeWord(g checker.Grade, by checker.Breaker) string {
	if g != checker.FencedG || by == checker.Nobody {
		return string(g)
	}
	return fmt.Sprintf("%s (%s)", g, by)
}

// byLock tells of a grade that does not say so that the lock broke its promise.
func byLock(g checker.Grade, by checker.Breaker) bool {
	return g == checker.FencedG && by == checker.TheLock
}

// gradeClass are the classes of a page's element that shows a verdict.
func gradeClass(g checker.Grade, by checker.Breaker) string {
	if byLock(g, by) {
		return "grade-fenced grade-broken"
	}
	return "grade-" + strings.ReplaceAll(word(string(g)), " ", "-")
}

func resultClass(res checker.Result) string { return gradeClass(grade(res), res.BrokenBy) }

// worse is who broke exclusion in the worse of two runs.
func worse(a, b checker.Breaker) checker.Breaker {
	if a == checker.TheLock || b == checker.Nobody {
		return a
	}
	return b
}

// verdictSentence is the verdict in one sentence, without the grade that it
// may begin with: that is shown before it.
func verdictSentence(res checker.Result) string {
	return sentence(strings.TrimPrefix(res.Sentence, string(grade(res))+": "))
}
