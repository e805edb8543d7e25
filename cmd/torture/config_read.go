package main

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kballard/go-shellquote"
	"go.yaml.in/yaml/v3"
)

// A fileError says where in a configuration file something is wrong.
type fileError struct {
	file string
	line int
	what string
}

func (e *fileError) Error() string { return fmt.Sprintf("%s:%d: %s", e.file, e.line, e.what) }

// A configReader reads one file, strictly: an unknown key is an error that names the nearest one.
type configReader struct{ path string }

func (f configReader) wrong(n *yaml.Node, format string, args ...any) error {
	return &fileError{f.path, n.Line, short(fmt.Sprintf(format, args...), 2000)}
}

// at says where a node stands.
func (f configReader) at(n *yaml.Node) string { return fmt.Sprintf("%s:%d", f.path, n.Line) }

// each calls do for every pair of a mapping. Keys that are not known are
// errors; nil knows all. It goes on after an error, and returns all of them.
func (f configReader) each(n *yaml.Node, known []string, do func(key, v *yaml.Node) error) error {
	if n.Kind != yaml.MappingNode {
		return f.wrong(n, "a mapping is needed here, of %s", orAny(known))
	}
	var errs []error
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, v := n.Content[i], n.Content[i+1]
		near := nearest(key.Value, known)
		switch {
		case seen[key.Value]:
			errs = append(errs, f.wrong(key, "%q is there twice", short(key.Value, maxShown)))
		case known == nil || slices.Contains(known, key.Value):
			errs = append(errs, do(key, v))
		case near != "":
			errs = append(errs, f.wrong(key, "unknown key %q; did you mean %s?", key.Value, near))
		default:
			errs = append(errs, f.wrong(key, "unknown key %q; there are %s", short(key.Value, maxShown), strings.Join(known, ", ")))
		}
		seen[key.Value] = true
	}
	return errors.Join(errs...)
}

// faults takes apart what each has joined.
func faults(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, err := range joined.Unwrap() {
		all = append(all, faults(err)...)
	}
	return all
}

// wrongConfig is the user's error that says all that is wrong with configuration files, in the order of the lines.
func wrongConfig(err error) error {
	all := faults(err)
	slices.SortStableFunc(all, func(a, b error) int {
		var x, y *fileError
		if errors.As(a, &x) && errors.As(b, &y) && x.file == y.file {
			return cmp.Compare(x.line, y.line)
		}
		return 0
	})
	var lines []string
	seen := map[string]bool{}
	for _, err := range all {
		if line := err.Error(); !seen[line] {
			seen[line] = true
			lines = append(lines, line)
		}
	}
	if more := len(lines) - maxFaults; more > 0 {
		lines = append(lines[:maxFaults], fmt.Sprintf("and %d more", more))
	}
	return usage("%s", strings.Join(lines, "\ntorture: "))
}

func orAny(known []string) string {
	if known == nil {
		return "names"
	}
	return strings.Join(known, ", ")
}

// text reads a plain value.
func (f configReader) text(n *yaml.Node) (string, error) {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		return "", f.wrong(n, "a plain value is needed here")
	}
	return n.Value, nil
}

// words reads a list, or a line that is split as a shell would.
func (f configReader) words(n *yaml.Node) ([]string, error) {
	if n.Kind == yaml.SequenceNode {
		return f.list(n)
	}
	line, err := f.text(n)
	if err != nil {
		return nil, err
	}
	words, err := shellquote.Split(line)
	if err != nil {
		return nil, f.wrong(n, "%q: %v", short(line, maxShown), err)
	}
	return words, nil
}

func (f configReader) list(n *yaml.Node) (words []string, err error) {
	for _, c := range n.Content {
		w, err := f.text(c)
		if err != nil {
			return nil, err
		}
		words = append(words, w)
	}
	return words, nil
}

// flagValue reads what a flag of a type would be given: a plain value, a list or a mapping.
func (f configReader) flagValue(kind string, n *yaml.Node) (string, error) {
	var words []string
	var err error
	switch {
	case n.Kind == yaml.SequenceNode && kind == "stringSlice":
		words, err = f.list(n)
	case n.Kind == yaml.MappingNode && kind == "stringToString":
		err = f.each(n, nil, func(key, v *yaml.Node) error {
			value, err := f.text(v)
			words = append(words, key.Value+"="+value)
			return err
		})
	default:
		return f.text(n)
	}
	if err != nil || len(words) == 0 {
		return "", err
	}
	var line bytes.Buffer
	w := csv.NewWriter(&line)
	if err := w.Write(words); err != nil {
		return "", f.wrong(n, "%v", err)
	}
	w.Flush()
	return strings.TrimSuffix(line.String(), "\n"), nil
}
