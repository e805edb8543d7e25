package main

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"locktorture/internal/strictyaml"
)

// A configReader reads a file of settings, strictly.
type configReader struct{ strictyaml.Reader }

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

// maxFaults bounds what wrongConfig tells.
const maxFaults = 20

// wrongConfig is the user's error that says all that is wrong with configuration files, in the order of the lines.
func wrongConfig(err error) error {
	all := faults(err)
	slices.SortStableFunc(all, func(a, b error) int {
		var x, y *strictyaml.Error
		if errors.As(a, &x) && errors.As(b, &y) && x.File == y.File {
			return cmp.Compare(x.Line, y.Line)
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

// flagValue reads what a flag of a type would be given: a plain value, a list or a mapping.
func (f configReader) flagValue(kind string, n *yaml.Node) (string, error) {
	var words []string
	var err error
	switch {
	case n.Kind == yaml.SequenceNode && kind == "stringSlice":
		words, err = f.List(n)
	case n.Kind == yaml.MappingNode && kind == "stringToString":
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
