// Package frame is what the pages have in common: the style sheet, the scripts that more than
// one runs, the policy that forbids a page everything else, and the functions of the
// templates. A page is one file that needs nothing else; what it is made of lies in the
// package that makes it.
package frame

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"strings"
)

// shared is the style sheet of all pages, and the scripts that more than one of them runs.
//
//go:embed assets
var shared embed.FS

// The style sheet, in order; there is one for all pages. uPlot draws the charts over time; its
// licence stands beside it and in the page.
const licenceFile = "vendor/uplot-LICENSE"

func styles() []string {
	return []string{"vendor/uplot-1.6.32.min.css", "page.css", "report.css", "story.css"}
}

// A Frame is what every page has: its style, its scripts and the policy that
// forbids everything else.
type Frame struct {
	Title   string
	Policy  string
	Style   template.CSS
	Script  template.JS
	Licence string
}

// New makes the frame of a page that runs these scripts, in this order. A script is a file of
// the page's own assets, or else one of those that pages share; own may be nil.
func New(title string, own fs.FS, scripts ...string) (Frame, error) {
	style, err := joined(nil, styles())
	if err != nil {
		return Frame{}, err
	}
	script, err := joined(own, scripts)
	if err != nil {
		return Frame{}, err
	}
	licence, err := shared.ReadFile("assets/" + licenceFile)
	if err != nil {
		return Frame{}, err
	}
	return Frame{Title: title, Style: template.CSS(style), Script: template.JS(script), Licence: string(licence),
		Policy: fmt.Sprintf("default-src 'none'; script-src '%s'; style-src '%s'; img-src data:; base-uri 'none'; form-action 'self'", digest(script), digest(style))}, nil
}

// Sheet returns the rules that all pages have, for pages that share one file of them.
func Sheet() ([]byte, error) { return shared.ReadFile("assets/page.css") }

// ShareStyle takes the style out of the page, which has it from a file beside it: style.css of its site.
func (f *Frame) ShareStyle() {
	f.Style = ""
	scripts := ""
	if f.Script != "" {
		scripts = fmt.Sprintf("script-src '%s'; ", digest(string(f.Script)))
	}
	f.Policy = "default-src 'none'; " + scripts + "style-src 'self' file:; img-src data:; base-uri 'none'; form-action 'none'"
}

// AddStyle adds rules of a page that has no script, and allows nothing but them.
func (f *Frame) AddStyle(css []byte) {
	f.Style += template.CSS(css)
	f.Policy = fmt.Sprintf("default-src 'none'; style-src '%s'; img-src data:; base-uri 'none'; form-action 'none'", digest(string(f.Style)))
}

func joined(own fs.FS, names []string) (string, error) {
	var b strings.Builder
	for _, n := range names {
		text, err := asset(own, "assets/"+n)
		if err != nil {
			return "", err
		}
		b.Write(text)
		b.WriteByte('\n')
	}
	return b.String(), nil
}

// asset reads a file of a page's own assets, or else of the shared ones.
func asset(own fs.FS, name string) ([]byte, error) {
	if own != nil {
		if text, err := fs.ReadFile(own, name); !errors.Is(err, fs.ErrNotExist) {
			return text, err
		}
	}
	return shared.ReadFile(name)
}

// digest returns what a content security policy calls a script that it allows.
func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// JSON makes JSON that may stand inside a script element: json.Marshal
// writes <, > and & as escapes, so that nothing in it can end the element.
func JSON(v any) (template.JS, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("encode page data: %w", err)
	}
	return template.JS(b), nil
}
