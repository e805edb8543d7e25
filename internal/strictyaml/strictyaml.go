// Package strictyaml reads files of settings strictly: a key that is not known
// or there twice is an error that names the line, and the nearest key.
package strictyaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"locktorture/internal/suggest"
)

// limit bounds a file, in bytes.
const limit = 1 << 20

// withoutText is the error of the parser without what it repeats of the file: a password that
// begins with * is the name of an anchor to it.
func withoutText(err error) string {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if before, _, ok := strings.Cut(text, "anchor '"); ok {
		return before + "anchor; a text that begins with * or & must be in quotation marks"
	}
	return text
}

// Parse reads the one document of a file; nil if there is none.
func Parse(path string, text []byte) (*yaml.Node, error) {
	if len(text) > limit {
		return nil, fmt.Errorf("%s: larger than %d bytes", path, limit)
	}
	var doc, next yaml.Node
	d := yaml.NewDecoder(bytes.NewReader(text))
	for _, into := range []*yaml.Node{&doc, &next} {
		if err := d.Decode(into); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("%s: %s", path, suggest.Short(withoutText(err), 4*suggest.Shown)) // it names the line
		}
	}
	switch {
	case next.Kind != 0:
		return nil, &Error{path, next.Line, "a second document begins here, and only one is read"}
	case len(doc.Content) == 0:
		return nil, nil
	}
	return doc.Content[0], nil
}
