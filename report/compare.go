package report

import (
	"fmt"
	"net/http"
	"os"

	"locktorture/checker"
)

// comparePage is what the template of the comparison sees.
type comparePage struct {
	Frame
	Heading      string
	A, B         Entry
	HeadA, HeadB string
	Rows         []compareRow
}

// A compareRow is one fact of both runs.
type compareRow struct {
	Name, A, B string
	Differs    bool
}

func (s *server) compare(w http.ResponseWriter, r *http.Request) {
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		http.Error(w, "the directory of runs cannot be read", http.StatusInternalServerError)
		return
	}
	defer root.Close()
	names := r.URL.Query()["run"]
	if len(names) != 2 {
		http.Error(w, "choose exactly two runs to compare them", http.StatusBadRequest)
		return
	}
	a, okA := readEntry(root.FS(), names[0])
	b, okB := readEntry(root.FS(), names[1])
	if !okA || !okB {
		http.NotFound(w, r)
		return
	}
	showPair(w, comparePage{Heading: "Two runs", A: a, B: b, HeadA: a.Name, HeadB: b.Name, Rows: compareRows(a, b)})
}

// showPair writes the page of a comparison.
func showPair(w http.ResponseWriter, p comparePage) {
	var err error
	if p.Frame, err = newFrame("torture: "+p.Heading, nil); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	render(w, "compare.html.tmpl", p)
}

// compareRows lists the facts of two runs beside each other.
func compareRows(a, b Entry) []compareRow {
	var out []compareRow
	add := func(name, x, y string) {
		if x != "" || y != "" {
			out = append(out, compareRow{name, x, y, x != y})
		}
	}
	add("grade", word(string(a.Grade())), word(string(b.Grade())))
	add("verdict", sentence(a.Result.Sentence), sentence(b.Result.Sentence))
	add("bound", sentence(a.Result.Bound), sentence(b.Result.Bound))
	pair(facts(a.Run), facts(b.Run), add)
	pair(statuses(a.Result), statuses(b.Result), add)
	pair(measureCards(a.Result), measureCards(b.Result), add)
	return out
}

// pair adds the cards of two lists by name, in the order of the first list,
// then those that only the second has.
func pair(a, b []card, add func(name, x, y string)) {
	left := map[string]string{}
	for _, c := range b {
		left[c.Name] = c.Value
	}
	for _, c := range a {
		add(c.Name, c.Value, left[c.Name])
		delete(left, c.Name)
	}
	for _, c := range b {
		if v, only := left[c.Name]; only {
			add(c.Name, "", v)
		}
	}
}

func statuses(res checker.Result) []card {
	var out []card
	for _, p := range res.Properties {
		value := word(p.Status)
		for _, k := range kinds(res, p) {
			value += fmt.Sprintf(", %s ×%s", word(k.Kind), count(k.Total))
		}
		out = append(out, card{Name: word(p.Name), Value: value})
	}
	for _, s := range res.Stores {
		out = append(out, card{Name: word(s.Store) + " store", Value: storeLine(s)})
	}
	for _, f := range res.Faults {
		out = append(out, card{Name: "fault " + word(f.Nemesis), Value: fmt.Sprintf("struck %s, bit %s", times(f.Injected), times(f.Bit))})
	}
	return out
}

func measureCards(res checker.Result) []card {
	out := []card{{Name: "seen", Value: countsLine(res.Counts)}}
	for _, m := range measured(res.Measures) {
		if m.Of.N > 0 {
			out = append(out, card{Name: m.Name, Value: fmt.Sprintf("p50 %s, p99 %s, max %s", span(m.Of.P50), span(m.Of.P99), span(m.Of.Max))})
		}
	}
	return append(out, card{Name: "grants a second", Value: figures(res.Measures.GrantRate)}, card{Name: "Jain's index", Value: figures(res.Measures.Jain)})
}
