package app

import (
	"cmp"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"locktorture/cluster"
	"locktorture/internal/strictyaml"
	"locktorture/internal/suggest"
)

// A reader fills a File from its document.
type reader struct {
	strictyaml.Reader
	f *File
}

// Most bounds the number of replicas.
const Most = 50

func (r reader) file(doc *yaml.Node) error {
	f := r.f
	known := map[string]func(v *yaml.Node) error{
		"app":      func(v *yaml.Node) error { return r.name(v, &f.App) },
		"replicas": r.replicas,
		"image":    func(v *yaml.Node) (err error) { f.Image, err = r.Text(v); return err },
		"compose":  r.compose,
		"command":  func(v *yaml.Node) error { return r.words(v, &f.Command) },
		"user":     r.user,
		"needs":    r.needs,
		"once":     func(v *yaml.Node) error { return r.flag(v, &f.Once) },
		"env":      r.env,
		"servers":  r.servers,
		"serves":   r.serves,
		"before":   func(v *yaml.Node) error { return r.commands(v, &f.Before) },
		"after":    func(v *yaml.Node) error { return r.commands(v, &f.After) },
		"ready":    r.ready,
		"load":     r.load,
		"jobs":     r.jobs,
		"faults":   r.faults,
		"ttl":      func(v *yaml.Node) error { return r.span(v, &f.TTL) },
		"duration": func(v *yaml.Node) error { return r.span(v, &f.Duration) },
		"limits":   r.limits,
	}
	return r.keys(doc, known)
}

// keys reads a mapping with known keys.
func (r reader) keys(n *yaml.Node, known map[string]func(v *yaml.Node) error) error {
	return r.Each(n, slices.Sorted(maps.Keys(known)), func(key, v *yaml.Node) error { return known[key.Value](v) })
}

// replicas reads a number, or a service of the compose file with its number: {worker: 3}.
func (r reader) replicas(n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return r.number(n, 1, Most, &r.f.Replicas)
	}
	if len(n.Content) != 2 {
		return r.Wrong(n, "replicas: one service with a number is needed, such as {worker: 3}")
	}
	return cmp.Or(r.name(n.Content[0], &r.f.Service), r.number(n.Content[1], 1, Most, &r.f.Replicas))
}

func (r reader) compose(n *yaml.Node) error {
	text, err := r.Text(n)
	if r.f.Compose = text; !filepath.IsAbs(text) {
		r.f.Compose = filepath.Join(r.f.Dir, text)
	}
	return err
}

var names = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,40}$`)

func (r reader) name(n *yaml.Node, to *string) error {
	text, err := r.Text(n)
	if err == nil && !names.MatchString(text) {
		err = r.Wrong(n, "%q is no name: at most 41 letters, digits, - and _", suggest.Repeat(text))
	}
	*to = text
	return err
}

func (r reader) number(n *yaml.Node, least, most int, to *int) error {
	text, err := r.Text(n)
	if err != nil {
		return err
	}
	v, err := strconv.Atoi(text)
	if err != nil || v < least || v > most {
		return r.Wrong(n, "%q: a whole number from %d to %d is needed", suggest.Repeat(text), least, most)
	}
	*to = v
	return nil
}

func (r reader) flag(n *yaml.Node, to *bool) error {
	text, err := r.Text(n)
	if err != nil {
		return err
	}
	if text != "true" && text != "false" {
		return r.Wrong(n, "%q: true or false is needed", suggest.Repeat(text))
	}
	*to = text == "true"
	return nil
}

func (r reader) span(n *yaml.Node, to *time.Duration) error {
	text, err := r.Text(n)
	if err != nil {
		return err
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 || d > 24*time.Hour {
		return r.Wrong(n, "%q: a time with its unit is needed, such as 500ms, 30s or 2m", suggest.Repeat(text))
	}
	*to = d
	return nil
}

func (r reader) words(n *yaml.Node, to *[]string) (err error) {
	if *to, err = r.Words(n); err == nil && len(*to) == 0 {
		err = r.Wrong(n, "a command is needed: [program, argument, …]")
	}
	return err
}

func (r reader) env(n *yaml.Node) error {
	return r.Each(n, nil, func(key, v *yaml.Node) error {
		text, err := r.Text(v)
		r.f.Env = append(r.f.Env, Variable{key.Value, text})
		return err
	})
}

func (r reader) servers(n *yaml.Node) error {
	return r.Each(n, nil, func(key, v *yaml.Node) error {
		s := Server{}
		if err := r.name(key, &s.Name); err != nil {
			return err
		}
		if v.Kind == yaml.SequenceNode || strings.Contains(v.Value, "://") {
			if err := r.given(v, &s); err != nil {
				return err
			}
		} else if err := r.name(v, &s.Topology); err != nil {
			return err
		} else if err := suggest.Among(s.Topology, slices.Sorted(maps.Keys(cluster.Topologies()))); err != nil {
			return r.Wrong(v, "servers: %v", err)
		}
		if slices.ContainsFunc(r.f.Servers, func(o Server) bool { return o.Topology == s.Topology }) {
			return r.Wrong(v, "servers: %s is there already; each topology can be named only once", s.Topology)
		}
		r.f.Servers = append(r.f.Servers, s)
		return nil
	})
}

func (r reader) commands(n *yaml.Node, to *[][]string) error {
	if n.Kind != yaml.SequenceNode {
		return r.Wrong(n, "before and after: a list of commands is needed, such as [./billing migrate]")
	}
	for _, c := range n.Content {
		var words []string
		if err := r.words(c, &words); err != nil {
			return err
		}
		*to = append(*to, words)
	}
	return nil
}

func (r reader) ready(n *yaml.Node) error {
	y, set := &r.f.Ready, 0
	text := func(to *string) func(v *yaml.Node) error {
		return func(v *yaml.Node) (err error) {
			set++
			*to, err = r.Text(v)
			return err
		}
	}
	err := r.keys(n, map[string]func(v *yaml.Node) error{
		"http": text(&y.HTTP), "tcp": text(&y.TCP),
		"line": func(v *yaml.Node) (err error) {
			set++
			y.Line, err = r.pattern(v, false)
			return err
		},
	})
	if err == nil && set != 1 {
		err = r.Wrong(n, "ready: one of http, line and tcp is needed")
	}
	return err
}

// pattern reads a regular expression. If keyed is set, its groups may be key, token and refused.
func (r reader) pattern(n *yaml.Node, keyed bool) (*regexp.Regexp, error) {
	text, err := r.Text(n)
	if err != nil {
		return nil, err
	}
	p, err := regexp.Compile(text)
	if err != nil {
		return nil, r.Wrong(n, "%v; if the pattern has backslashes, put it in single quotation marks", err)
	}
	for _, group := range p.SubexpNames() {
		if keyed && group != "" && !slices.Contains([]string{"key", "token", "refused"}, group) {
			return nil, r.Wrong(n, "group %q: a pattern may have the groups key, token and refused, as (?P<key>…)", group)
		}
	}
	return p, nil
}

func (r reader) load(n *yaml.Node) error {
	l := &Load{Asked: map[string]*regexp.Regexp{}}
	r.f.Load = l
	err := r.keys(n, map[string]func(v *yaml.Node) error{
		"command": func(v *yaml.Node) error { return r.words(v, &l.Command) },
		"asked": func(v *yaml.Node) error {
			return r.Each(v, nil, func(key, v *yaml.Node) (err error) {
				l.Asked[key.Value], err = r.pattern(v, true)
				return err
			})
		},
	})
	if err == nil && len(l.Command) == 0 {
		err = r.Wrong(n, "load: its command is missing")
	}
	return err
}

func (r reader) faults(n *yaml.Node) error {
	if n.Kind != yaml.SequenceNode {
		return r.Wrong(n, "faults: a list is needed, such as [pause, kill]; [] is none")
	}
	known := slices.Sorted(maps.Keys(kinds(r.f)))
	r.f.Faults = []string{}
	for _, c := range n.Content {
		name, settings := c, (*yaml.Node)(nil)
		if c.Kind == yaml.MappingNode && len(c.Content) == 2 {
			name, settings = c.Content[0], c.Content[1]
		}
		text, err := r.Text(name)
		if err != nil {
			return err
		}
		if err := suggest.Among(text, known); err != nil {
			return r.Wrong(name, "faults: %v", err)
		}
		if r.f.Faults = append(r.f.Faults, text); settings == nil {
			continue
		}
		if text != "pause" {
			return r.Wrong(settings, "faults: only pause has settings, {process: NAME, for: [30s, 40s]}")
		}
		if err := r.pausing(settings); err != nil {
			return err
		}
	}
	return nil
}

func (r reader) pausing(n *yaml.Node) error {
	p := &r.f.Pause
	return r.keys(n, map[string]func(v *yaml.Node) error{
		"process": func(v *yaml.Node) error { return r.name(v, &p.Process) },
		"for": func(v *yaml.Node) error {
			if v.Kind != yaml.SequenceNode || len(v.Content) != 2 {
				return r.Wrong(v, "for: the shortest and the longest time are needed, such as [30s, 40s]")
			}
			err := cmp.Or(r.span(v.Content[0], &p.Least), r.span(v.Content[1], &p.Most))
			if err == nil && p.Least > p.Most {
				err = r.Wrong(v, "for: %s is longer than %s", p.Least, p.Most)
			}
			return err
		},
	})
}

func (r reader) limits(n *yaml.Node) error {
	l := &r.f.Limits
	return r.keys(n, map[string]func(v *yaml.Node) error{
		"before": func(v *yaml.Node) error { return r.span(v, &l.Before) },
		"ready":  func(v *yaml.Node) error { return r.span(v, &l.Ready) },
		"stop":   func(v *yaml.Node) error { return r.span(v, &l.Stop) },
	})
}
