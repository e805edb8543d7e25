package config

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"locktorture/cluster/docker"
	"locktorture/internal/plainfile"
	"locktorture/internal/strictyaml"
	"locktorture/internal/suggest"
	"locktorture/registry"
)

// A File is the content of a configuration file.
type File struct {
	Settings map[string]Setting              // name of the key → setting
	Images   map[string]Setting              // kind of server → image of its containers
	Drivers  map[string]registry.DriverEntry // name → driver
}

// A Setting is a value with the place that sets it.
type Setting struct {
	Value  string
	Origin string // file:line, or "environment VARIABLE"
	at     strictyaml.Error
}

// A Form determines how a value may be written in YAML.
type Form int

// A List or Pairs may also be written as one plain value with commas.
const (
	Plain Form = iota
	List
	Pairs
)

// A Key is a setting that a file may have.
type Key struct {
	Name   string
	Kind   string // kind of its value, for errors: "duration"
	Form   Form
	Secret bool // the value may contain a login, so that no error may repeat it
	// Parse returns an error for a text that is not of this kind. Check returns an error for an
	// impossible value.
	Parse, Check func(text string) error
}

// The sections of a file besides its settings. The section tls holds the settings whose names begin
// with "tls-".
const (
	driversSection = "drivers"
	imagesSection  = "images"
	tlsSection     = "tls"
)

// imageKey is the flag that the section images sets.
const imageKey = "image"

// A reader reads one file.
type reader struct {
	strictyaml.Reader
	keys map[string]Key
}

// ReadFile reads a file. A missing file is empty. The error joins everything that is wrong in the
// file, see Wrong; the File still contains everything that is right.
func ReadFile(path string, keys []Key) (File, error) {
	text, err := plainfile.Read(path, plainfile.Text)
	if errors.Is(err, fs.ErrNotExist) {
		return File{}, nil
	}
	if err != nil {
		return File{}, err
	}
	return Parse(path, text, keys)
}

// Parse reads the text of a file. Errors name the path, and the commands of drivers run in the
// folder of the path.
func Parse(path string, text []byte, keys []Key) (File, error) {
	c := File{Settings: map[string]Setting{}, Images: map[string]Setting{}, Drivers: map[string]registry.DriverEntry{}}
	doc, err := strictyaml.Parse(path, text)
	if err != nil || doc == nil {
		return c, err
	}
	f := reader{strictyaml.Reader{Path: path}, map[string]Key{}}
	known := []string{driversSection, imagesSection, tlsSection}
	for _, k := range keys {
		f.keys[k.Name] = k
		if k.Name != tlsSection && k.Name != imageKey {
			known = append(known, k.Name)
		}
	}
	slices.Sort(known)
	return c, f.Each(doc, known, func(key, v *yaml.Node) error { return f.section(c, key.Value, v) })
}

// section reads the value of one top-level key of the file.
func (f reader) section(c File, key string, v *yaml.Node) error {
	switch key {
	case driversSection:
		return f.Each(v, nil, func(name, v *yaml.Node) (err error) {
			c.Drivers[name.Value], err = f.driver(name, v)
			return err
		})
	case imagesSection:
		return f.Each(v, docker.Servers(), func(server, v *yaml.Node) error {
			image, err := f.Text(v)
			c.Images[server.Value] = f.found(image, v)
			return err
		})
	case tlsSection:
		if v.Kind == yaml.ScalarNode { // tls: true
			return f.setting(c, tlsSection, v)
		}
		return f.Each(v, []string{"ca", "cert", "key", "server-name"}, func(key, v *yaml.Node) error {
			return f.setting(c, tlsSection+"-"+key.Value, v)
		})
	}
	return f.setting(c, key, v)
}

// found returns a value as a Setting with the place of its node.
func (f reader) found(value string, n *yaml.Node) Setting {
	return Setting{Value: value, Origin: f.At(n), at: strictyaml.Error{File: f.Path, Line: n.Line}}
}

// setting stores the value of a setting if its key accepts it.
func (f reader) setting(c File, name string, n *yaml.Node) error {
	key := f.keys[name]
	value, err := f.value(key.Form, n)
	if err != nil {
		return err
	}
	if err := key.Parse(value); err != nil {
		if key.Secret {
			return f.Wrong(n, "%s: not a %s", name, key.Kind)
		}
		return f.Wrong(n, "%s: %q is not a %s", name, suggest.Short(value, suggest.Shown), key.Kind)
	}
	c.Settings[name] = f.found(value, n)
	if err := key.Check(value); err != nil {
		return f.Wrong(n, "%v", err)
	}
	parts := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		parts = n.Content
	}
	var errs []error
	for _, part := range parts {
		if err := checkNames(name, part.Value); err != nil {
			errs = append(errs, f.Wrong(part, "%s: %v", name, err))
		}
	}
	return errors.Join(errs...)
}

// value returns the value of a node as one line: the words of a list with commas between them, and
// pairs as NAME=VALUE.
func (f reader) value(form Form, n *yaml.Node) (string, error) {
	var words []string
	var err error
	switch {
	case n.Kind == yaml.SequenceNode && form == List:
		words, err = f.List(n)
	case n.Kind == yaml.MappingNode && form == Pairs:
		err = f.Each(n, nil, func(key, v *yaml.Node) error {
			value, err := f.Text(v)
			words = append(words, key.Value+"="+value)
			return err
		})
	default:
		return f.Text(n)
	}
	if err != nil || len(words) == 0 {
		return "", err
	}
	var line bytes.Buffer
	w := csv.NewWriter(&line)
	if err := w.Write(words); err != nil {
		return "", f.Wrong(n, "%v", err)
	}
	w.Flush()
	return strings.TrimSuffix(line.String(), "\n"), nil
}
