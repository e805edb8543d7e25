package site

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"maps"
	"slices"

	"locktorture/registry"
	"locktorture/report/frame"
)

//go:embed assets
var assets embed.FS

// A Config says what the pages are made from.
type Config struct {
	Root   string                      // of the checkout
	Ledger string                      // directory
	Locks  map[string]registry.Backend // also those whose runtimes are not installed here
}

// A Site has the pages, by their paths.
type Site struct {
	Files                         map[string][]byte
	Locks, Faults, Findings, Runs int
}

// Bytes is how large all pages are together.
func (s *Site) Bytes() (n int) {
	for _, text := range s.Files {
		n += len(text)
	}
	return n
}

// Make makes all pages.
func Make(c Config) (*Site, error) {
	d, err := read(c)
	if err != nil {
		return nil, err
	}
	t, err := frame.Parse("site", template.FuncMap{"markdown": markdown, "join": join}, assets)
	if err != nil {
		return nil, err
	}
	style, err := sheet()
	if err != nil {
		return nil, err
	}
	s := &Site{Files: map[string][]byte{"style.css": style}, Locks: len(d.locks), Faults: len(d.faults), Findings: len(d.findings), Runs: d.runs()}
	views := map[string]view{"index.html": d.matrix()}
	for _, l := range d.locks {
		views["locks/"+l.Name+".html"] = d.lockPage(l)
	}
	for _, f := range d.faults {
		views["faults/"+f.Name+".html"] = d.faultPage(f)
	}
	for _, f := range d.findings {
		views["findings/"+f.Name+".html"] = d.findingPage(f)
	}
	for _, path := range slices.Sorted(maps.Keys(views)) {
		text, err := views[path].render(t)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		s.Files[path] = text
	}
	return s, nil
}

// sheet is the style of all pages.
func sheet() ([]byte, error) {
	shared, err := frame.Sheet()
	if err != nil {
		return nil, err
	}
	own, err := assets.ReadFile("assets/site.css")
	return slices.Concat(shared, own), err
}

// A view is a page before it is written.
type view struct {
	kind    string // its template
	scripts []string
	title   string
	up      string // the way to the top: "" or "../"
	data    any
}

// A shown is what a template sees.
type shown struct {
	frame.Frame
	Up string
	D  any
}

func (v view) render(t *template.Template) ([]byte, error) {
	head, err := frame.New(cmp.Or(v.title, "torture")+" · torture", assets, v.scripts...)
	if err != nil {
		return nil, err
	}
	head.ShareStyle()
	var b bytes.Buffer
	err = t.ExecuteTemplate(&b, v.kind+".html.tmpl", shown{head, v.up, v.data})
	return b.Bytes(), err
}
