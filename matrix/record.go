package matrix

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"locktorture/internal/atomicfile"
	"locktorture/internal/plainfile"
	"locktorture/internal/strictyaml"
	"locktorture/report/scorecard"
)

// lacks reports whether a file of expectations has no row for these faults.
func (e Expectations) lacks(backend, nemesis string) bool {
	_, there := e[backend][nemesis]
	return !there
}

// Lacking says whether the file that is recorded in lacks any row of this matrix.
func (c Config) Lacking() bool { return len(c.cells()) > 0 }

// Record adds to the file of expectations what was measured of the rows that it lacks, and
// goes by it from then on. What stands in the file stays as it is.
func (m *Matrix) Record() error {
	path := m.config.Record
	lines := map[[2]string]string{}
	for _, r := range scorecard.Rows(m.tries()) {
		if line, ok := measured(r); ok {
			lines[[2]string{r.Backend, r.Nemesis}] = line
			m.recorded = append(m.recorded, fmt.Sprintf("added to %s: %s %s: %s", path, r.Backend, r.Nemesis, line))
		}
	}
	text, err := plainfile.Read(path, plainfile.Text)
	if err != nil {
		return err
	}
	filled, err := addRows(path, text, lines)
	if err != nil {
		return err
	}
	known := slices.AppendSeq(slices.Collect(maps.Keys(m.config.Locks)), maps.Keys(m.config.Expected))
	if m.config.Expected, err = ParseExpectations(path, filled, known); err != nil {
		return err
	}
	return atomicfile.WriteText(path, string(filled))
}

// addRows puts rows, by backend and nemesis, where they belong: backends in the order of the
// alphabet, of each first none and then the faults in that order. All other lines stay as they
// are.
func addRows(path string, text []byte, rows map[[2]string]string) ([]byte, error) {
	keys := slices.SortedFunc(maps.Keys(rows), func(a, b [2]string) int {
		if a[0] != b[0] {
			return strings.Compare(a[0], b[0])
		}
		return byNemesis(a[1], b[1])
	})
	for _, key := range keys {
		doc, err := strictyaml.Parse(path, text)
		if err != nil {
			return nil, err
		}
		if doc == nil {
			return nil, fmt.Errorf("%s: nothing is expected", path)
		}
		text = addRow(text, doc, key, rows[key])
	}
	return text, nil
}

// byNemesis orders the rows of a backend.
func byNemesis(a, b string) int {
	if (a == "none") != (b == "none") {
		return map[bool]int{true: -1, false: 1}[a == "none"]
	}
	return strings.Compare(a, b)
}

// addRow puts one row where it belongs; one that is there stays as it is.
func addRow(text []byte, doc *yaml.Node, key [2]string, value string) []byte {
	line := fmt.Sprintf("  %s: %s\n", key[1], value)
	backend, of, next := place(doc, func(name string) int { return strings.Compare(name, key[0]) })
	if !backend {
		return insert(text, next, fmt.Sprintf("%s:\n%s", key[0], line), next == doc.Line)
	}
	there, _, at := place(of, func(name string) int { return byNemesis(name, key[1]) })
	switch {
	case there:
		return text
	case at == 0:
		at = next
	}
	return insert(text, at, line, false)
}

// place finds a key of a mapping, its value, and the line of the key that comes next, or
// would; 0 if none does.
func place(mapping *yaml.Node, compare func(name string) int) (found bool, value *yaml.Node, next int) {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		name := mapping.Content[i]
		switch c := compare(name.Value); {
		case c == 0:
			if i+2 < len(mapping.Content) {
				return true, mapping.Content[i+1], mapping.Content[i+2].Line
			}
			return true, mapping.Content[i+1], 0
		case c > 0 && next == 0:
			next = name.Line
		}
	}
	return false, nil, next
}

// insert puts lines before a line (from 1; 0: at the end) and the comments that belong to it,
// but below the comment at the head of the file.
func insert(text []byte, before int, more string, head bool) []byte {
	lines := bytes.SplitAfter(text, []byte("\n"))
	at := len(lines)
	if before > 0 {
		at = before - 1
	} else if last := lines[len(lines)-1]; len(last) > 0 {
		more = "\n" + more
	}
	for !head && before > 0 && at > 0 && bytes.HasPrefix(bytes.TrimSpace(lines[at-1]), []byte("#")) {
		at--
	}
	return slices.Concat(bytes.Join(lines[:at], nil), []byte(more), bytes.Join(lines[at:], nil))
}
