package strictyaml

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kballard/go-shellquote"
	"go.yaml.in/yaml/v3"

	"locktorture/internal/suggest"
)

// An Error says where in a file something is wrong.
type Error struct {
	File string
	Line int // from 1
	What string
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.What) }

// A Reader reads the parsed nodes of one file. Its errors are of type *Error, or several of
// them joined.
type Reader struct{ Path string }

// Wrong is the error that something is wrong at a node.
func (f Reader) Wrong(n *yaml.Node, format string, args ...any) error {
	return &Error{f.Path, n.Line, suggest.Short(fmt.Sprintf(format, args...), 2000)}
}

// At says where a node stands.
func (f Reader) At(n *yaml.Node) string { return fmt.Sprintf("%s:%d", f.Path, n.Line) }

// explained is for how many unknown keys of a mapping the key that was meant is looked for:
// the distance to each name is computed, and nobody reads more.
const explained = 50

// Each calls do for every pair of a mapping. Keys that are not known are
// errors; nil knows all. It goes on after an error, and returns all of them.
func (f Reader) Each(n *yaml.Node, known []string, do func(key, v *yaml.Node) error) error {
	if n.Kind != yaml.MappingNode {
		return f.Wrong(n, "a mapping is needed here, of %s", orAny(known))
	}
	var errs []error
	seen, unknown := map[string]bool{}, 0
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, v := n.Content[i], n.Content[i+1]
		switch {
		case seen[key.Value]:
			errs = append(errs, f.Wrong(key, "%q is there twice", suggest.Repeat(key.Value)))
		case known == nil || slices.Contains(known, key.Value):
			errs = append(errs, do(key, v))
		default:
			unknown++
			errs = append(errs, f.unknown(key, known, unknown <= explained))
		}
		seen[key.Value] = true
	}
	return errors.Join(errs...)
}

// unknown is the error that a key is none of those that are known; explain: which one was
// meant.
func (f Reader) unknown(key *yaml.Node, known []string, explain bool) error {
	if !explain {
		return f.Wrong(key, "unknown key %q", suggest.Repeat(key.Value))
	}
	if near := suggest.Nearest(key.Value, known); near != "" {
		return f.Wrong(key, "unknown key %q; did you mean %s?", key.Value, near)
	}
	return f.Wrong(key, "unknown key %q; there are %s", suggest.Repeat(key.Value), strings.Join(known, ", "))
}

func orAny(known []string) string {
	if known == nil {
		return "names"
	}
	return strings.Join(known, ", ")
}

// Text reads a plain value.
func (f Reader) Text(n *yaml.Node) (string, error) {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		return "", f.Wrong(n, "a plain value is needed here")
	}
	return n.Value, nil
}

// Words reads a list, or a line that is split as a shell would.
func (f Reader) Words(n *yaml.Node) ([]string, error) {
	if n.Kind == yaml.SequenceNode {
		return f.List(n)
	}
	line, err := f.Text(n)
	if err != nil {
		return nil, err
	}
	words, err := shellquote.Split(line)
	if err != nil {
		return nil, f.Wrong(n, "%q: %v", suggest.Short(line, suggest.Shown), err)
	}
	return words, nil
}

// List reads a list of plain values.
func (f Reader) List(n *yaml.Node) (words []string, err error) {
	for _, c := range n.Content {
		w, err := f.Text(c)
		if err != nil {
			return nil, err
		}
		words = append(words, w)
	}
	return words, nil
}
