package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"locktorture/checker"
	"locktorture/report/words"
)

// Label returns the grade as a person reads it: what fails a run though its grade does not say
// so is named, so that nobody takes it for a pass: "safe, but FAILED: deadlock".
func Label(res checker.Result) string {
	grade := words.Word(string(Grade(res)))
	if !res.Failed || res.Grade == checker.Unsafe {
		return grade
	}
	var why []string
	if res.BrokenBy == checker.TheLock {
		why = append(why, "the lock broke its promise")
	}
	for _, p := range res.Properties {
		if slices.Contains([]string{checker.Ownership, checker.Liveness, checker.Linearizability}, p.Name) {
			for _, k := range Kinds(res, p) {
				why = append(why, strings.TrimPrefix(checker.CountOf(k.Kind, 1), "1 "))
			}
		}
	}
	but := "but"
	if Grade(res) == checker.Unknown {
		but = "and"
	}
	return fmt.Sprintf("%s, %s FAILED: %s", grade, but, words.Sentence(strings.Join(why, ", ")))
}

// Headline returns what a run came to in one line, without its grade.
func Headline(res checker.Result) string {
	return words.Sentence(cmp.Or(res.Headline, Sentence(res), res.Reason)) // results of before there were incidents have none
}

// Found counts the anomalies of an incident, in the order of the kinds: "257 double-grant, 6
// overrun".
func Found(anomalies map[string]int) string {
	var parts []string
	for _, kind := range checker.Kinds() {
		if n := anomalies[kind]; n > 0 {
			parts = append(parts, checker.CountOf(kind, n))
		}
	}
	return strings.Join(parts, ", ")
}

// Briefly is Found without what followed from the rest: what stands in stores, and that the
// operations fit no order.
func Briefly(anomalies map[string]int) string {
	brief := map[string]int{}
	for kind, n := range anomalies {
		if p := checker.PropertyOf(kind); p != checker.Workload && p != checker.Linearizability {
			brief[kind] = n
		}
	}
	if len(brief) == 0 {
		brief = anomalies
	}
	return Found(brief)
}

// Cost returns what an incident cost: "257 units"; "" is nothing.
func Cost(i checker.Incident) string {
	var parts []string
	for _, l := range i.Lost {
		if l.Lost > 0 {
			unit := words.Word(l.Unit)
			parts = append(parts, words.Plural(l.Lost, strings.TrimSuffix(unit, "s"), unit))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return parts[0] // of two stores the plain one, which shows what a fence prevents
}

// Lasted returns the time of an incident: "3.2–5.1 s".
func Lasted(i checker.Incident) string {
	from, to := fmt.Sprintf("%.1f", float64(i.Start)/1e9), fmt.Sprintf("%.1f", float64(i.End)/1e9)
	if from == to {
		return from + " s"
	}
	return from + "–" + to + " s"
}
