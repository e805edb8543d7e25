package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kballard/go-shellquote"
	"go.yaml.in/yaml/v3"

	"locktorture/cluster"
)

// A driverEntry is one lock of the drivers section of a configuration file.
type driverEntry struct {
	About      string
	Command    []string
	Topology   string
	Replicated string
	Options    map[string]string
	Needs      []string // files or programs without which it cannot run
	Dir        string   // of the file: where the command is run
}

// A fileError says where in a configuration file something is wrong.
type fileError struct {
	file string
	line int
	what string
}

func (e *fileError) Error() string { return fmt.Sprintf("%s:%d: %s", e.file, e.line, e.what) }

// readDrivers reads the drivers of a configuration file. It is strict: an
// unknown key is an error that names the nearest one. A file that is not
// there has none.
func readDrivers(path string) (map[string]driverEntry, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("%s: %s", path, strings.TrimPrefix(err.Error(), "yaml: ")) // it names the line
	}
	if len(doc.Content) == 0 {
		return nil, nil
	}
	f := driversFile{path: path}
	all := map[string]driverEntry{}
	err = f.each(doc.Content[0], []string{"drivers"}, func(_ string, v *yaml.Node) error {
		return f.each(v, nil, func(name string, v *yaml.Node) error {
			e, err := f.entry(name, v)
			all[name] = e
			return err
		})
	})
	return all, err
}

// A driversFile is a file that is being read.
type driversFile struct{ path string }

func (f driversFile) wrong(n *yaml.Node, format string, args ...any) error {
	return &fileError{f.path, n.Line, fmt.Sprintf(format, args...)}
}

// each calls do for every pair of a mapping. Keys that are not known are
// errors; nil knows all.
func (f driversFile) each(n *yaml.Node, known []string, do func(key string, v *yaml.Node) error) error {
	if n.Kind != yaml.MappingNode {
		return f.wrong(n, "a mapping is needed here, of %s", orAny(known))
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, v := n.Content[i], n.Content[i+1]
		switch {
		case seen[key.Value]:
			return f.wrong(key, "%q is there twice", key.Value)
		case known != nil && !slices.Contains(known, key.Value):
			if near := nearest(key.Value, known); near != "" {
				return f.wrong(key, "unknown key %q; did you mean %s?", key.Value, near)
			}
			return f.wrong(key, "unknown key %q; there are %s", key.Value, strings.Join(known, ", "))
		}
		seen[key.Value] = true
		if err := do(key.Value, v); err != nil {
			return err
		}
	}
	return nil
}

func orAny(known []string) string {
	if known == nil {
		return "names"
	}
	return strings.Join(known, ", ")
}

var entryKeys = []string{"about", "command", "topology", "replicated", "options", "needs"}

// entry reads one driver.
func (f driversFile) entry(name string, n *yaml.Node) (driverEntry, error) {
	dir, err := filepath.Abs(filepath.Dir(f.path))
	if err != nil {
		return driverEntry{}, err
	}
	e := driverEntry{Dir: dir, About: "a driver of " + filepath.Base(f.path), Options: map[string]string{}}
	err = f.each(n, entryKeys, func(key string, v *yaml.Node) (err error) {
		switch key {
		case "about":
			e.About, err = f.text(v)
		case "command":
			e.Command, err = f.words(v)
		case "topology":
			e.Topology, err = f.topology(v)
		case "replicated":
			e.Replicated, err = f.topology(v)
		case "needs":
			e.Needs, err = f.words(v)
		case "options":
			err = f.each(v, nil, func(option string, v *yaml.Node) (err error) {
				e.Options[option], err = f.text(v)
				return err
			})
		}
		return err
	})
	switch {
	case err != nil:
		return e, err
	case len(e.Command) == 0:
		return e, f.wrong(n, "driver %s has no command", name)
	case e.Topology == "":
		return e, f.wrong(n, "driver %s has no topology; there are %s", name, strings.Join(topologyNames(), ", "))
	}
	return e, nil
}

func (f driversFile) text(n *yaml.Node) (string, error) {
	if n.Kind != yaml.ScalarNode {
		return "", f.wrong(n, "a plain value is needed here")
	}
	return n.Value, nil
}

// words reads a list, or a line that is split as a shell would.
func (f driversFile) words(n *yaml.Node) ([]string, error) {
	if n.Kind == yaml.SequenceNode {
		var words []string
		for _, c := range n.Content {
			w, err := f.text(c)
			if err != nil {
				return nil, err
			}
			words = append(words, w)
		}
		return words, nil
	}
	line, err := f.text(n)
	if err != nil {
		return nil, err
	}
	words, err := shellquote.Split(line)
	if err != nil {
		return nil, f.wrong(n, "%q: %v", line, err)
	}
	return words, nil
}

func (f driversFile) topology(n *yaml.Node) (string, error) {
	name, err := f.text(n)
	if err != nil {
		return "", err
	}
	if err := knownTopology(name); err != nil {
		return "", f.wrong(n, "%v", err)
	}
	return name, nil
}

// noTopology is that of a driver that brings its own service.
const noTopology = "none"

func topologyNames() []string {
	names := []string{noTopology}
	for name := range cluster.Topologies() {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func knownTopology(name string) error {
	names := topologyNames()
	if slices.Contains(names, name) {
		return nil
	}
	if near := nearest(name, names); near != "" {
		return fmt.Errorf("no topology is called %q; did you mean %s?", name, near)
	}
	return fmt.Errorf("no topology is called %q; there are %s", name, strings.Join(names, ", "))
}

// missing returns the first need that is not there, "" if none is. A need is
// a path, from the file's folder on, or a program on PATH.
func (e driverEntry) missing() string {
	for _, need := range e.Needs {
		if !strings.Contains(need, "/") {
			if _, err := exec.LookPath(need); err != nil {
				return need
			}
			continue
		}
		path := need
		if !filepath.IsAbs(path) {
			path = filepath.Join(e.Dir, need)
		}
		if _, err := os.Stat(path); err != nil {
			return need
		}
	}
	return ""
}
