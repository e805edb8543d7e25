// Package schema holds what is written for programs of others against what they accept.
package schema

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"testing"
)

// elements are what junit-10.xsd, which Jenkins checks, allows and requires of
// the elements that are written.
var elements = map[string]struct {
	required, optional, children []string
}{
	"":           {children: []string{"testsuite"}},
	"testsuite":  {[]string{"name", "tests", "failures", "errors"}, []string{"skipped", "time", "timestamp"}, []string{"testcase"}},
	"testcase":   {[]string{"name"}, []string{"classname", "time"}, []string{"skipped", "error", "failure", "system-out"}},
	"skipped":    {nil, []string{"type", "message"}, nil},
	"error":      {nil, []string{"type", "message"}, nil},
	"failure":    {nil, []string{"type", "message"}, nil},
	"system-out": {},
}

// JUnit fails on everything in the file that the schema does not allow.
func JUnit(t testing.TB, file []byte) {
	t.Helper()
	dec := xml.NewDecoder(bytes.NewReader(file))
	path := []string{""}
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("not well-formed: %v", err)
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			name, parent := tok.Name.Local, path[len(path)-1]
			if !slices.Contains(elements[parent].children, name) {
				t.Errorf("<%s> inside <%s>", name, parent)
			}
			var have []string
			for _, a := range tok.Attr {
				have = append(have, a.Name.Local)
				if !slices.Contains(elements[name].required, a.Name.Local) && !slices.Contains(elements[name].optional, a.Name.Local) {
					t.Errorf("<%s %s>", name, a.Name.Local)
				}
			}
			for _, a := range elements[name].required {
				if !slices.Contains(have, a) {
					t.Errorf("<%s> without %s", name, a)
				}
			}
			path = append(path, name)
		case xml.EndElement:
			path = path[:len(path)-1]
		}
	}
}
