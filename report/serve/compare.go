package serve

import (
	"fmt"
	"net/http"
	"os"

	"locktorture/checker"
	"locktorture/report/frame"
	"locktorture/report/page"
	"locktorture/report/verdict"
	"locktorture/report/words"
)

// comparePage is what the template of the comparison sees.
type comparePage struct {
	frame.Frame
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
	s.showPair(w, comparePage{Heading: "Two runs", A: a, B: b, HeadA: a.Name, HeadB: b.Name, Rows: compareRows(a, b)})
}

// showPair writes the page of a comparison.
func (s *server) showPair(w http.ResponseWriter, p comparePage) {
	var err error
	if p.Frame, err = frame.New("torture: "+p.Heading, nil); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	s.render(w, "compare.html.tmpl", p)
}

// compareRows lists the facts of two runs beside each other.
func compareRows(a, b Entry) []compareRow {
	var out []compareRow
	add := func(name, x, y string) {
		if x != "" || y != "" {
			out = append(out, compareRow{name, x, y, x != y})
		}
	}
	add("grade", words.Word(string(a.Grade())), words.Word(string(b.Grade())))
	add("verdict", words.Sentence(a.Result.Sentence), words.Sentence(b.Result.Sentence))
	add("bound", words.Sentence(a.Result.Bound), words.Sentence(b.Result.Bound))
	pair(page.Facts(a.Run), page.Facts(b.Run), add)
	pair(statuses(a.Result), statuses(b.Result), add)
	pair(measureCards(a.Result), measureCards(b.Result), add)
	return out
}

// pair adds the cards of two lists by name, in the order of the first list,
// then those that only the second has.
func pair(a, b []page.Card, add func(name, x, y string)) {
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
		out = append(out, page.Card{Name: words.Word(s.Store) + " store", Value: verdict.StoreLine(s)})
	}
	for _, f := range res.Faults {
		out = append(out, page.Card{Name: "fault " + words.Word(f.Nemesis), Value: fmt.Sprintf("struck %s, bit %s", verdict.Times(f.Injected), verdict.Times(f.Bit))})
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
