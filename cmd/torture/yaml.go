package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"locktorture/internal/suggest"
)

// maxYAML bounds a file of settings or expectations, maxShown a text of it in a message, maxFaults the messages.
const (
	maxYAML   = 1 << 20
	maxShown  = suggest.Shown
	maxFaults = 20
)

// parseYAML reads the one document of a file; nil if there is none.
func parseYAML(path string, text []byte) (*yaml.Node, error) {
	if len(text) > maxYAML {
		return nil, fmt.Errorf("%s: larger than %d bytes", path, maxYAML)
	}
	var doc, next yaml.Node
	d := yaml.NewDecoder(bytes.NewReader(text))
	for _, into := range []*yaml.Node{&doc, &next} {
		if err := d.Decode(into); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("%s: %s", path, short(strings.TrimPrefix(err.Error(), "yaml: "), 4*maxShown)) // it names the line
		}
	}
	switch {
	case next.Kind != 0:
		return nil, &fileError{path, next.Line, "a second document begins here, and only one is read"}
	case len(doc.Content) == 0:
		return nil, nil
	}
	return doc.Content[0], nil
}
