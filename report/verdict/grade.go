// Package verdict puts a result into words that text, JUnit and pages have in common. It
// judges nothing.
package verdict

import (
	"fmt"
	"strings"

	"locktorture/checker"
	"locktorture/report/words"
)

// Grade returns the word for a grade; the zero value is no verdict.
func Grade(res checker.Result) checker.Grade {
	if res.Grade == "" {
		return checker.Unknown
	}
	return res.Grade
}

// Word returns a grade, and of a fenced who broke exclusion: "fenced (lock)". That the lock
// broke its promise fails a run, that a holder overstayed does not.
func Word(g checker.Grade, by checker.Breaker) string {
	if g != checker.FencedG || by == checker.Nobody {
		return string(g)
	}
	return fmt.Sprintf("%s (%s)", g, by)
}

// ByLock tells of a grade that does not say so that the lock broke its promise.
func ByLock(g checker.Grade, by checker.Breaker) bool {
	return g == checker.FencedG && by == checker.TheLock
}

// broken is the class of what fails a run though its grade does not say so.
const broken = " grade-broken"

// Class returns the classes of a page's element that shows a verdict.
func Class(g checker.Grade, by checker.Breaker) string {
	if ByLock(g, by) {
		return "grade-fenced" + broken
	}
	return "grade-" + strings.ReplaceAll(words.Word(string(g)), " ", "-")
}

// ResultClass returns the Class of a result: one that failed looks like it, whatever its grade.
func ResultClass(res checker.Result) string {
	class := Class(Grade(res), res.BrokenBy)
	if res.Failed && !strings.HasSuffix(class, broken) {
		class += broken
	}
	return class
}

// Worse is who broke exclusion in the worse of two runs.
func Worse(a, b checker.Breaker) checker.Breaker {
	if a == checker.TheLock || b == checker.Nobody {
		return a
	}
	return b
}

// Sentence returns the verdict in one sentence, without the grade that it may begin with: that
// is shown before it.
func Sentence(res checker.Result) string {
	s := strings.TrimPrefix(res.Sentence, string(Grade(res)))
	return words.Sentence(strings.TrimLeft(s, ":, "))
}
