package scorecard

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"locktorture/checker"
	"locktorture/report/words"
)

// lockColumns are the properties and measures of a lock on a score card.
var lockColumns = []string{"exclusion", "fencing", "ownership", "liveness", "reentrancy", "fairness", "notice lag", "recovery", "grants/s", "acquire p50 / p99"}

// besideKinds returns the anomalies that stand beside a grade.
func besideKinds(r Row) string {
	var out []string
	for _, t := range r.Tries {
		if t.Result == nil {
			continue
		}
		for _, p := range t.Result.Properties {
			if p.Name != checker.Ownership && p.Name != checker.Liveness {
				continue
			}
			for _, a := range p.Anomalies {
				out = with(out, words.Word(a.Kind))
			}
		}
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// lockMeasures returns what a lock did over all its cells, in the order of lockColumns.
func lockMeasures(l Lock, own []Row) []finding {
	var out []finding
	for _, name := range []string{checker.Exclusion, checker.Fencing, checker.Ownership, checker.Liveness} {
		out = append(out, propertyOver(own, name))
	}
	calm := triesOf(own, func(t Try) bool { return t.Nemesis == "none" })
	all := triesOf(own, func(Try) bool { return true })
	return append(out,
		finding{Text: words.Word(l.Reentrancy)},
		fairness(calm),
		quantiles(all, func(m checker.Measures) checker.Quantiles { return m.NoticeLag }),
		quantiles(triesOf(own, func(t Try) bool { return t.Nemesis != "none" }), func(m checker.Measures) checker.Quantiles { return m.Recovery }),
		rate(calm),
		quantiles(calm, func(m checker.Measures) checker.Quantiles { return m.Acquire }),
	)
}

func triesOf(rows []Row, want func(Try) bool) []Try {
	var out []Try
	for _, r := range rows {
		for _, t := range r.Tries {
			if t.Result != nil && want(t) {
				out = append(out, t)
			}
		}
	}
	return out
}

// propertyOver returns the worst that a property came to, with the first run that shows it.
func propertyOver(own []Row, name string) finding {
	kinds, link := map[string]int{}, ""
	kept, unknown := 0, 0
	for _, t := range triesOf(own, func(Try) bool { return true }) {
		for _, p := range t.Result.Properties {
			switch {
			case p.Name != name:
			case p.Status == checker.Violated:
				if link == "" {
					link = reportOf(t.Dir)
				}
				for _, a := range p.Anomalies {
					kinds[a.Kind]++
				}
			case p.Status == checker.Kept:
				kept++
			case p.Status == checker.NotChecked:
				unknown++
			}
		}
	}
	switch {
	case link != "" || len(kinds) > 0:
		return finding{Text: strings.Join(slices.Sorted(maps.Keys(kinds)), ", "), Link: link, Class: "unsafe"}
	case kept > 0:
		return finding{Text: "kept in " + words.Plural(kept, "run", "runs"), Class: "safe"}
	case unknown > 0:
		return finding{Text: "unknown"}
	}
	return finding{Text: "n/a"}
}

const nothing = "–"

func fairness(tries []Try) finding {
	if len(tries) == 0 {
		return finding{Text: nothing}
	}
	least, overtaken, grants := 1.0, 0, 0
	for _, t := range tries {
		least = min(least, t.Result.Measures.Jain)
		overtaken += t.Result.Measures.OutOfOrder
		grants += t.Result.Counts.Grants
	}
	return finding{Text: fmt.Sprintf("Jain %s, %s of %s grants overtook a longer waiter", words.Figures(least), words.Count(overtaken), words.Count(grants))}
}

// quantiles returns the median of the medians and the worst 99th percentile.
func quantiles(tries []Try, of func(checker.Measures) checker.Quantiles) finding {
	var medians []int64
	var worst int64
	for _, t := range tries {
		if q := of(t.Result.Measures); q.N > 0 {
			medians = append(medians, q.P50)
			worst = max(worst, q.P99)
		}
	}
	if len(medians) == 0 {
		return finding{Text: nothing}
	}
	slices.Sort(medians)
	return finding{Text: words.Span(medians[len(medians)/2]) + " / " + words.Span(worst)}
}

func rate(tries []Try) finding {
	if len(tries) == 0 {
		return finding{Text: nothing}
	}
	sum := 0.0
	for _, t := range tries {
		sum += t.Result.Measures.GrantRate
	}
	return finding{Text: words.Figures(sum / float64(len(tries)))}
}
