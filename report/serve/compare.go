package serve

import (
	"net/http"
	"os"

	"locktorture/report/frame"
)

// comparePage is what the template of the comparison sees.
type comparePage struct {
	frame.Frame
	Heading      string
	Base         string // of the addresses of the place
	A, B         Entry
	HeadA, HeadB string
	Rows         comparison
}

func (p place) compare(w http.ResponseWriter, r *http.Request) {
	root, err := os.OpenRoot(p.dir)
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
	p.showPair(w, comparePage{Heading: "Two runs", A: a, B: b, HeadA: a.Name, HeadB: b.Name, Rows: compareRows(a, b)})
}

// showPair writes the page of a comparison.
func (p place) showPair(w http.ResponseWriter, pair comparePage) {
	var err error
	if pair.Frame, err = frame.New("torture: "+pair.Heading, nil); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	pair.Base = p.base
	p.render(w, "compare.html.tmpl", pair)
}
