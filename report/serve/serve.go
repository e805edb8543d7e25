// Package serve shows a directory of runs in a browser. A run may be a stranger's: no path leads out of the
// directory, and a report gets an origin of its own.
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
	"strings"
	"sync"
	"syscall"

	"locktorture/report/frame"
)

//go:embed assets
var assets embed.FS

// Handler serves a directory of runs: an index that can be searched, filtered
// and sorted, the files of each run, and two runs side by side. No path, and
// no link inside the directory, leads out of it. Requests that come under a
// host name other than localhost are refused, so that no web page can reach
// the server by giving its own name this address.
//
// Judge judges the run in a directory again and writes its reports anew; it is
// called for one run at a time, and only when a page of this server asks for
// it from this machine. Without it nothing is changed.
func Handler(dir string, judge func(dir string) error) http.Handler {
	s := &server{dir: dir, judge: judge, pages: sync.OnceValues(func() (*template.Template, error) {
		return frame.Parse("pages", template.FuncMap{"total": total}, assets)
	})}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.index)
	mux.HandleFunc("GET /compare", s.compare)
	mux.HandleFunc("GET /runs/{path...}", s.file)
	if judge != nil {
		mux.HandleFunc("POST /check", s.check)
	}
	return onlyLocal(http.NewCrossOriginProtection().Handler(mux))
}

type server struct {
	dir   string
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
			http.Error(w, "use the address or localhost", http.StatusForbidden)
			return
		}
		trustNothing(w.Header())
		next.ServeHTTP(w, r)
	})
}

// file serves one regular file, as what it is if the browser may open it and
// as plain text otherwise: a log or a name must not become a page. A pipe is refused, and not waited for.
func (s *server) file(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("path")
	root, err := os.OpenRoot(s.dir)
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
	if path.Base(name) == pageOfRun {
		w.Header().Set("Content-Security-Policy", runPolicy)
	}
	http.ServeContent(w, r, "", info.ModTime(), f)
}

func contentType(name string) string {
	switch base := path.Base(name); {
	case base == pageOfRun:
		return "text/html; charset=utf-8"
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
	Entries []Entry
	All     int
	Columns []string
	Grades  []string
	Judges  bool
}

func (s *server) index(w http.ResponseWriter, r *http.Request) {
	all, err := Entries(s.dir)
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
	s.render(w, "index.html.tmpl", indexPage{Frame: head, Query: q, Entries: q.Select(all), All: len(all),
		Columns: []string{"run", "grade", "backend", "workload", "faults", "anomalies", "grants"}, Grades: []string{"unsafe", "unknown", "fenced", "safe"}, Judges: s.judge != nil})
}

// Link is the address of the index in another order; a second click on the
// same column turns the order around.
func (p indexPage) Link(column string) string {
	if p.Sort == column {
		column = "-" + column
	}
	return fmt.Sprintf("/?q=%s&grade=%s&sort=%s", template.URLQueryEscaper(p.Search), template.URLQueryEscaper(p.Query.Grade), column)
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
