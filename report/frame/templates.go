package frame

import (
	"fmt"
	"html/template"
	"io/fs"
	"strings"

	"locktorture/report/verdict"
	"locktorture/report/words"
)

// Parse reads the templates assets/*.tmpl of a page and of its parts. Name is the one that is
// the page; more are functions that only these templates call.
func Parse(name string, more template.FuncMap, from ...fs.FS) (*template.Template, error) {
	t := template.New(name).Funcs(funcs()).Funcs(more)
	for _, f := range from {
		if _, err := t.ParseFS(f, "assets/*.tmpl"); err != nil {
			return nil, fmt.Errorf("parse template: %w", err)
		}
	}
	return t, nil
}

// funcs returns what every template may call.
func funcs() template.FuncMap {
	return template.FuncMap{
		"at": words.At, "span": words.Span, "count": words.Count, "figures": words.Figures, "percent": words.Percent,
		"word": words.Word, "sentence": words.Sentence, "long": func(s string) string { return words.Clean(s, 10*words.MaxSentence) },
		"words":  func(list []string, none string) string { return words.List(list, ", ", none) },
		"micros": func(us int64) string { return words.At(us * 1000) },
		"length": func(from, to int64) string { return words.Span((to - from) * 1000) },
		"maybe":  maybe, "started": words.Started,
		"storeLine": verdict.StoreLine, "inControl": verdict.InControl, "countsLine": verdict.CountsLine, "verdict": verdict.Sentence, "headline": verdict.Headline, "label": verdict.Label,
		"times": verdict.Times, "gradeClass": verdict.ResultClass,
		"class": func(s string) string { return strings.ReplaceAll(words.Word(s), " ", "-") },
	}
}

// maybe writes a length of time; one below 0 stands for none.
func maybe(ns int64) string {
	if ns < 0 {
		return "none"
	}
	return words.Span(ns)
}
