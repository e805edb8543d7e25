package app

import (
	"regexp"

	"go.yaml.in/yaml/v3"

	"locktorture/history"
	"locktorture/internal/suggest"
	"locktorture/timeline"
)

func (r reader) jobs(n *yaml.Node) error {
	return r.Each(n, nil, func(key, v *yaml.Node) error {
		j := Job{Lines: map[string]*regexp.Regexp{}}
		if err := r.name(key, &j.Name); err != nil {
			return err
		}
		err := r.keys(v, map[string]func(v *yaml.Node) error{
			"seen":     func(v *yaml.Node) error { return r.seen(v, &j) },
			"promises": func(v *yaml.Node) error { return r.promises(v, &j) },
		})
		if !j.Event && len(j.Lines) == 0 && j.Wire == nil && j.Span == nil && j.While == nil {
			j.Event = true // the program must report it itself
		}
		other := j.Event || len(j.Lines) > 0 || j.Wire != nil
		if err == nil && (j.Span != nil && (other || j.While != nil) || j.While != nil && other) {
			err = r.Wrong(key, "job %s: a job that is seen by span or while must not be seen in another way too", j.Name)
		}
		j.Spans = j.Span != nil
		j.Effects = j.Effects || j.Lines[history.JobEffect] != nil
		j.Ends = j.Ends || j.Event || j.Spans || j.Lines[history.JobEnd] != nil
		if none := (timeline.Job{Name: j.Name, Effects: j.Effects, Ends: j.Ends, Spans: j.Spans, Kept: j.Kept, Leads: j.Leads}); err == nil && j.Job == none {
			err = r.Wrong(key, "job %s promises nothing: give it promises, such as {one_at_a_time: true}", j.Name)
		}
		r.f.Jobs = append(r.f.Jobs, j)
		return err
	})
}

func (r reader) seen(n *yaml.Node, j *Job) error {
	lines := func(take func(p *regexp.Regexp)) func(v *yaml.Node) error {
		return func(v *yaml.Node) error {
			return r.keys(v, map[string]func(v *yaml.Node) error{"line": func(v *yaml.Node) error {
				p, err := r.pattern(v, true)
				take(p)
				return err
			}})
		}
	}
	line := func(mode string) func(v *yaml.Node) error {
		return lines(func(p *regexp.Regexp) { j.Lines[mode] = p })
	}
	return r.keys(n, map[string]func(v *yaml.Node) error{
		"event":  func(v *yaml.Node) error { return r.event(v, j) },
		"begin":  line(history.JobBegin),
		"effect": func(v *yaml.Node) error { return r.effect(v, j, line(history.JobEffect)) },
		"end":    line(history.JobEnd),
		"while":  func(v *yaml.Node) error { return r.while(v, j) },
		"kept":   lines(func(p *regexp.Regexp) { j.Still, j.Kept = p, true }),
		"span": func(v *yaml.Node) (err error) {
			j.Span, err = r.pattern(v, true)
			return err
		},
	})
}

// effect reads the way to observe an effect: by a line, or on the links to a server.
func (r reader) effect(n *yaml.Node, j *Job, line func(v *yaml.Node) error) error {
	if n.Kind == yaml.MappingNode && len(n.Content) > 0 && n.Content[0].Value == "line" {
		return line(n)
	}
	w := &WireEffect{}
	j.Wire, j.Effects = w, true
	err := r.Each(n, nil, func(key, v *yaml.Node) (err error) {
		switch {
		case key.Value == "refused":
			w.Refused, err = r.pattern(v, false)
		case w.Server != "":
			err = r.Wrong(key, "effect: only one line or one server is possible, with or without refused")
		default:
			w.Server = key.Value
			w.Request, err = r.pattern(v, true)
		}
		return err
	})
	if err == nil && w.Server == "" {
		err = r.Wrong(n, "effect: a line or a server is missing, such as {redis: 'SET paid:(?P<key>\\S+)'}")
	}
	return err
}

// event reads of what the program tells itself: true, or a list of begin, effect and end.
func (r reader) event(n *yaml.Node, j *Job) error {
	j.Event = true
	if n.Kind != yaml.SequenceNode {
		return r.flag(n, &j.Event)
	}
	list, err := r.List(n)
	for _, mode := range list {
		if err := suggest.Among(mode, []string{history.JobBegin, history.JobEffect, history.JobEnd}); err != nil {
			return r.Wrong(n, "event: %v", err)
		}
		j.Effects = j.Effects || mode == history.JobEffect
	}
	return err
}

func (r reader) promises(n *yaml.Node, j *Job) error {
	return r.keys(n, map[string]func(v *yaml.Node) error{
		"once_per_key": func(v *yaml.Node) error { return r.flag(v, &j.OnceEachKey) },
		"none_lost":    func(v *yaml.Node) error { return r.flag(v, &j.NoneLost) },
		"again_within": func(v *yaml.Node) error { return r.span(v, &j.AgainWithin) },
		"one_at_a_time": func(v *yaml.Node) error {
			switch text, err := r.Text(v); {
			case err != nil:
				return err
			case text == "true":
				j.OneAtATime = timeline.OneRun
			case text == "per_key":
				j.OneAtATime = timeline.OneRunPerKey
			case text != "false":
				return r.Wrong(v, "%q: true, per_key or false is needed", suggest.Repeat(text))
			}
			return nil
		},
	})
}
