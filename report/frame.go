package report

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"strings"
)

//go:embed assets
var assets embed.FS

// What goes into a page, in order. uPlot draws the charts over time; its
// licence stands beside it and in the page.
var (
	runScripts  = []string{"vendor/uplot-1.6.32.iife.min.js", "theme.js", "decode.js", "draw.js", "details.js", "interact.js", "pointers.js", "charts.js", "main.js"}
	pageStyles  = []string{"vendor/uplot-1.6.32.min.css", "page.css", "report.css", "story.css"}
	licenceFile = "vendor/uplot-LICENSE"
)

// A Frame is what every page has: its style, its scripts and the policy that
// forbids everything else.
type Frame struct {
	Title   string
	Policy  string
	Style   template.CSS
	Script  template.JS
	Licence string
}

func newFrame(title string, scripts []string) (Frame, error) {
	style, err := joined(pageStyles)
	if err != nil {
		return Frame{}, err
	}
	script, err := joined(scripts)
	if err != nil {
		return Frame{}, err
	}
	licence, err := assets.ReadFile("assets/" + licenceFile)
	if err != nil {
		return Frame{}, err
	}
	return Frame{Title: title, Style: template.CSS(style), Script: template.JS(script), Licence: string(licence),
		Policy: fmt.Sprintf("default-src 'none'; script-src '%s'; style-src '%s'; img-src data:; base-uri 'none'; form-action 'self'", digest(script), digest(style))}, nil
}

func joined(names []string) (string, error) {
	var b strings.Builder
	for _, n := range names {
		text, err := assets.ReadFile("assets/" + n)
		if err != nil {
			return "", err
		}
		b.Write(text)
		b.WriteByte('\n')
	}
	return b.String(), nil
}

// digest is what a content security policy calls a script that it allows.
func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// embedded makes JSON that may stand inside a script element: json.Marshal
// writes <, > and & as escapes, so that nothing in it can end the element.
func embedded(v any) (template.JS, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("encode page data: %w", err)
	}
	return template.JS(b), nil
}

func funcs() template.FuncMap {
	return template.FuncMap{
		"at": at, "span": span, "count": count, "figures": figures, "percent": percent,
		"word": word, "sentence": sentence, "long": func(s string) string { return clean(s, 10*maxSentence) },
		"words":  func(list []string, none string) string { return words(list, ", ", none) },
		"micros": func(us int64) string { return at(us * 1000) },
		"length": func(from, to int64) string { return span((to - from) * 1000) },
		"struck": band.struck, "storeLine": storeLine, "countsLine": countsLine, "verdict": verdictSentence, "times": times, "total": total, "started": started,
		"gradeClass": resultClass,
		"class":      func(s string) string { return strings.ReplaceAll(word(s), " ", "-") },
		"maybe": func(ns int64) string {
			if ns < 0 {
				return "none"
			}
			return span(ns)
		},
	}
}
