package serve

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"locktorture/checker"
	"locktorture/report/page"
	"locktorture/report/verdict"
	"locktorture/report/words"
)

// A compareRow is one fact of both runs.
type compareRow struct {
	Name, A, B string
	Differs    bool
}

// A comparison is all facts of two runs, those that differ first.
type comparison []compareRow

// Different returns the rows that differ, and Same the others.
func (c comparison) Different() comparison { return c.where(true) }

// Same returns the rows that do not differ.
func (c comparison) Same() comparison { return c.where(false) }

// Summary says how many rows differ.
func (c comparison) Summary() string {
	n := len(c.Different())
	if n == 0 {
		return "No difference."
	}
	return words.Plural(n, "fact differs", "facts differ") + ". Differences are marked and come first."
}

func (c comparison) where(differs bool) (out comparison) {
	for _, row := range c {
		if row.Differs == differs {
			out = append(out, row)
		}
	}
	return out
}

// compareRows lists the facts of two runs beside each other. What was asked for differs if it
// is not the same; what was measured, if it is not alike. What a run is called and when it was
// is no difference.
func compareRows(a, b Entry) (out comparison) {
	add := func(differ func(x, y string) bool) func(name, x, y string) {
		return func(name, x, y string) {
			if x != "" || y != "" {
				out = append(out, compareRow{name, x, y, differ(x, y)})
			}
		}
	}
	gradesDiffer := a.Grade() != b.Grade() || a.Result.BrokenBy != b.Result.BrokenBy
	add(unequal)("grade", words.Word(string(a.Grade())), words.Word(string(b.Grade())))
	add(func(_, _ string) bool { return gradesDiffer })("verdict", words.Sentence(a.Result.Sentence), words.Sentence(b.Result.Sentence))
	add(unlike)("bound", words.Sentence(a.Result.Bound), words.Sentence(b.Result.Bound))
	identity := func(c page.Card) bool { return c.Name == "run" || c.Name == "started" }
	pair(slices.DeleteFunc(page.Facts(a.Run), identity), slices.DeleteFunc(page.Facts(b.Run), identity), add(unequal))
	pair(statuses(a.Result), statuses(b.Result), add(unlike))
	pair(measureCards(a.Result), measureCards(b.Result), add(unlike))
	return out
}

func unequal(x, y string) bool { return x != y }

var figure = regexp.MustCompile(`\b(\d+(?:[ \x{202f},]\d{3})*(?:\.\d+)?)(?: (ns|µs|ms|s)\b)?`)

// alikeWithin is by how much a figure of one run may be greater than that of the other, as a
// factor: two runs of one seed differ by as much.
const alikeWithin = 1.25

// unlike reports whether two texts differ in more than the size of their figures, or that a
// figure differs by more than chance does.
func unlike(x, y string) bool {
	if figure.ReplaceAllString(x, "0") != figure.ReplaceAllString(y, "0") {
		return true
	}
	p, q := figure.FindAllStringSubmatch(x, -1), figure.FindAllStringSubmatch(y, -1)
	for i := range p {
		m, n := value(p[i][1], p[i][2]), value(q[i][1], q[i][2])
		if max(m, n) > alikeWithin*min(m, n) {
			return true
		}
	}
	return false
}

var grouping = regexp.MustCompile(`[ \x{202f},]`)

// value returns the number in a figure, in ns if it has a unit.
func value(figure, unit string) float64 {
	f, _ := strconv.ParseFloat(grouping.ReplaceAllString(figure, ""), 64) // it is one
	return f * map[string]float64{"": 1, "ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}[unit]
}

// pair adds the cards of two lists by name, in the order of the first list, then those that
// only the second has. Of cards with one name the first is beside the first.
func pair(a, b []page.Card, add func(name, x, y string)) {
	right := map[string][]string{}
	for _, c := range b {
		right[c.Name] = append(right[c.Name], c.Value)
	}
	take := func(name string) (value string) {
		if of := right[name]; len(of) > 0 {
			value, right[name] = of[0], of[1:]
		}
		return value
	}
	for _, c := range a {
		add(c.Name, c.Value, take(c.Name))
	}
	for _, c := range b {
		if len(right[c.Name]) > 0 {
			add(c.Name, "", take(c.Name))
		}
	}
}

func statuses(res checker.Result) []page.Card {
	var out []page.Card
	for _, p := range res.Properties {
		value := words.Word(p.Status)
		for _, k := range verdict.Kinds(res, p) {
			value += fmt.Sprintf(", %s ×%s", words.Word(k.Kind), words.Count(k.Total))
		}
		out = append(out, page.Card{Name: words.Word(p.Name), Value: value})
	}
	for _, s := range res.Stores {
		out = append(out, page.Card{Name: words.Word(s.Store) + " store", Value: verdict.StoreLine(res, s)})
	}
	for _, f := range res.Faults {
		value := fmt.Sprintf("injected %s, took effect %s", verdict.Times(f.Injected), verdict.Times(f.Bit))
		if f.Waiting > 0 {
			value += fmt.Sprintf(", %s on a client that waited", verdict.Times(f.Waiting))
		}
		out = append(out, page.Card{Name: "fault " + words.Word(f.Nemesis), Value: value})
	}
	return out
}

func measureCards(res checker.Result) []page.Card {
	out := []page.Card{{Name: "seen", Value: verdict.CountsLine(res.Counts)}}
	for _, m := range verdict.Measures(res.Measures) {
		if m.Of.N > 0 {
			out = append(out, page.Card{Name: m.Name, Value: fmt.Sprintf("p50 %s, p99 %s, max %s", words.Span(m.Of.P50), words.Span(m.Of.P99), words.Span(m.Of.Max))})
		}
	}
	return append(out, page.Card{Name: "grants a second", Value: words.Figures(res.Measures.GrantRate)}, page.Card{Name: "Jain's index", Value: words.Figures(res.Measures.Jain)})
}
