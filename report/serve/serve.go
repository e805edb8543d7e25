// Package serve shows a directory of runs, and the matrices beside them, in a browser. A run
// may be a stranger's: no path leads out of the directory, and a report gets an origin of its
// own.
package serve

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"locktorture/report/frame"
)

//go:embed assets
var assets embed.FS

// Handler serves a directory of runs: an index that can be searched, filtered and sorted, the
// files of each run, and two runs side by side. The directory may be that of a matrix, and
// those of matrices in it or beside it are shown too, each with its page and its runs. No
// path, and no link inside the directory, leads out of it. Requests that come under a host
// name other than localhost are refused, so that no web page can reach the server by giving
// its own name this address.
//
// Judge judges the run in a directory again and writes its reports anew; it is
// called for one run at a time, and only when a page of this server asks for
// it from this machine. Without it nothing is changed.
func Handler(dir string, judge func(dir string) error) http.Handler {
	s := &server{top: dir, judge: judge, pages: sync.OnceValues(func() (*template.Template, error) {
		return frame.Parse("pages", template.FuncMap{"total": total}, assets)
	})}
	mux := http.NewServeMux()
	handle := func(method, path string, answer func(place, http.ResponseWriter, *http.Request)) {
		mux.HandleFunc(method+" "+path, func(w http.ResponseWriter, r *http.Request) { answer(s.here(), w, r) })
		mux.HandleFunc(method+" /matrix/{matrix}"+path, func(w http.ResponseWriter, r *http.Request) {
			p, ok := s.matrix(r.PathValue("matrix"))
			if !ok {
				http.NotFound(w, r)
				return
			}
			answer(p, w, r)
		})
	}
	handle("GET", "/{$}", place.index)
	handle("GET", "/compare", place.compare)
	handle("GET", "/runs/{path...}", place.file)
	handle("GET", "/"+PageOfMatrix, place.card)
	if judge != nil {
		handle("POST", "/check", place.check)
	}
	return onlyLocal(http.NewCrossOriginProtection().Handler(mux))
}

type server struct {
	top   string
	judge func(dir string) error
	pages func() (*template.Template, error) // parsed once
	busy  sync.Mutex                         // while a run is judged
}

func onlyLocal(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if h, _, err := net.SplitHostPort(host); err == nil {
			host = h
		}
		_, err := netip.ParseAddr(strings.Trim(host, "[]"))
		if err != nil && host != "localhost" {
			http.Error(w, "open this page by its IP address or as localhost", http.StatusForbidden)
			return
		}
		trustNothing(w.Header())
		next.ServeHTTP(w, r)
	})
}

// file serves one regular file, as what it is if the browser may open it and as plain text
// otherwise: a log or a name must not become a page. A pipe is refused, and not waited for.
func (p place) file(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("path")
	sendFile(w, r, p.dir, name, path.Base(name) == pageOfRun)
}

// sendFile sends a file of a directory; page tells that a browser shows it as one.
func sendFile(w http.ResponseWriter, r *http.Request, dir, name string, page bool) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		http.Error(w, "the directory of runs cannot be read", http.StatusInternalServerError)
		return
	}
	defer root.Close()
	if !fs.ValidPath(name) {
		http.NotFound(w, r)
		return
	}
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", contentType(name))
	if page {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", runPolicy)
	}
	http.ServeContent(w, r, "", info.ModTime(), f)
}

func contentType(name string) string {
	switch base := path.Base(name); {
	case path.Ext(base) == ".json":
		return "application/json"
	case path.Ext(base) == ".xml":
		return "application/xml"
	}
	return "text/plain; charset=utf-8"
}

// indexPage is what the template of the index sees.
type indexPage struct {
	frame.Frame
	Query
	Heading  string
	Base     string // of the addresses of the place
	Card     string // the address of its score card; "": it is no matrix
	Matrices []Matrix
	Entries  []Entry
	All      int
	Columns  []string
	Grades   []string
	Judges   bool
}

func (p place) index(w http.ResponseWriter, r *http.Request) {
	all, err := Entries(p.dir)
	if err != nil {
		http.Error(w, "the directory of runs cannot be read", http.StatusInternalServerError)
		return
	}
	q := Query{Search: r.FormValue("q"), Grade: r.FormValue("grade"), Sort: r.FormValue("sort")}
	head, err := frame.New("torture: runs", nil)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	shown := indexPage{Frame: head, Query: q, Heading: "Runs", Base: p.base, Entries: q.Select(all), All: len(all),
		Columns: []string{"grade", "run", "backend", "workload", "faults", "anomalies", "grants"}, Grades: []string{"unsafe", "unknown", "fenced", "safe"}, Judges: p.judge != nil}
	if p.home != "" {
		shown.Heading, shown.Card = "Matrix "+filepath.Base(p.home), p.base+"/"+PageOfMatrix
	}
	if p.base == "" {
		shown.Matrices = p.matrices()
	}
	p.render(w, "index.html.tmpl", shown)
}

// Link returns the address of the index in another order; a second click on the same column
// turns the order around.
func (p indexPage) Link(column string) string {
	if p.Sort == column {
		column = "-" + column
	}
	return p.Base + fmt.Sprintf("/?q=%s&grade=%s&sort=%s", template.URLQueryEscaper(p.Search), template.URLQueryEscaper(p.Query.Grade), column)
}

// render writes a page only once it is whole.
func (s *server) render(w http.ResponseWriter, name string, page any) {
	t, err := s.pages()
	if err == nil {
		var b bytes.Buffer
		if err = t.ExecuteTemplate(&b, name, page); err == nil {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Header().Set("Content-Security-Policy", ownPolicy)
			_, _ = io.Copy(w, &b) // a reader who has gone is no error
			return
		}
	}
	http.Error(w, "the page cannot be made: "+err.Error(), http.StatusInternalServerError)
}
