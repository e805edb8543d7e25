package ledger

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// module is the path of this module, as its go.mod says.
const module = "locktorture"

// Sources holds the source files of a checkout. Each file is read once: make new Sources after a change.
type Sources struct {
	root     string
	files    map[string]*file    // by their paths from the root
	folders  map[string][]string // the paths of the files of a folder
	requires map[string]string   // versions of modules, as go.mod says
}

// A file is one that was read.
type file struct {
	text    []byte
	sum     [sha256.Size]byte
	silent  [sha256.Size]byte // of a Go file, without what it says to people
	tokens  []string          // of a Go file, without comments
	changed time.Time
}

// OpenSources opens a checkout.
func OpenSources(root string) (*Sources, error) {
	t := &Sources{root: root, files: map[string]*file{}, folders: map[string][]string{}, requires: map[string]string{}}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(mod, []byte("module "+module+"\n")) {
		return nil, fmt.Errorf("%s is no checkout of torture", root)
	}
	for line := range strings.Lines(string(mod)) {
		words := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "require "))
		if len(words) >= 2 && strings.HasPrefix(words[1], "v") {
			t.requires[words[0]] = words[1]
		}
	}
	return t, nil
}

// list returns the files of a folder, but for tests, as paths from the root.
func (t *Sources) list(folder string) ([]string, error) {
	if paths, ok := t.folders[folder]; ok {
		return paths, nil
	}
	entries, err := os.ReadDir(filepath.Join(t.root, folder))
	if err != nil {
		return nil, err
	}
	paths := []string{}
	for _, e := range entries {
		if e.Type().IsRegular() && !strings.HasSuffix(e.Name(), "_test.go") && !strings.HasSuffix(e.Name(), ".md") {
			paths = append(paths, path.Join(folder, e.Name()))
		}
	}
	t.folders[folder] = paths
	return paths, nil
}

// read reads a file once.
func (t *Sources) read(path string) (*file, error) {
	if f, ok := t.files[path]; ok {
		return f, nil
	}
	text, err := os.ReadFile(filepath.Join(t.root, path))
	if err != nil {
		return nil, err
	}
	f := newFile(path, text)
	if info, err := os.Stat(filepath.Join(t.root, path)); err == nil {
		f.changed = info.ModTime()
	}
	t.files[path] = f
	return f, nil
}

// Newer returns a file that was summed up and is newer than a time; "" if none is.
func (t *Sources) Newer(than time.Time) string {
	for path, f := range t.files {
		if f.changed.After(than) {
			return path
		}
	}
	return ""
}

// newFile sums a file up.
func newFile(path string, text []byte) *file {
	f := &file{text: text, sum: sha256.Sum256(text)}
	f.silent = f.sum
	if strings.HasSuffix(path, ".go") {
		f.tokens = tokens(text)
		f.sum = sha256.Sum256([]byte(strings.Join(f.tokens, "\n")))
		f.silent = sha256.Sum256([]byte(strings.Join(silent(f.tokens), "\n")))
	}
	return f
}

// silent returns tokens without the sentences among them: literals with a blank.
func silent(tokens []string) []string {
	return slices.DeleteFunc(slices.Clone(tokens), func(tok string) bool {
		text, ok := literal(tok)
		return ok && strings.Contains(text, " ")
	})
}

// tokens returns the tokens of a Go text, without comments and layout. An operator of several
// characters is one token for each.
func tokens(text []byte) (list []string) {
	for s := string(text); s != ""; {
		n := tokenLength(s)
		if tok := s[:n]; strings.TrimSpace(tok) != "" && !strings.HasPrefix(tok, "//") && !strings.HasPrefix(tok, "/*") {
			list = append(list, tok)
		}
		s = s[n:]
	}
	return list
}

// tokenLength returns the length of the token, the comment or the blank that a text begins with.
func tokenLength(s string) int {
	first, size := utf8.DecodeRuneInString(s)
	switch {
	case strings.HasPrefix(s, "//"):
		return through(s, 2, "\n")
	case strings.HasPrefix(s, "/*"):
		return through(s, 2, "*/")
	case first == '`':
		return through(s, 1, "`")
	case first == '"' || first == '\'':
		return quoted(s, s[0])
	case !named(first):
		return size
	}
	if end := strings.IndexFunc(s, func(r rune) bool { return !named(r) }); end > 0 {
		return end
	}
	return len(s)
}

// named reports whether a name or a number can have a character.
func named(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// through returns the length of what ends with a text that comes after from.
func through(s string, from int, end string) int {
	if i := strings.Index(s[from:], end); i >= 0 {
		return from + i + len(end)
	}
	return len(s)
}

// quoted returns the length of a literal between quotes.
func quoted(s string, quote byte) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case quote:
			return i + 1
		}
	}
	return len(s)
}

// imported returns what a Go file imports, by the names that it has for them.
func (f *file) imported() map[string]string {
	names := map[string]string{}
	for i := 0; i < len(f.tokens) && f.tokens[i] != "func"; i++ {
		if f.tokens[i] != "import" {
			continue
		}
		last := i + 2 // import "fmt", import name "fmt"
		if f.tokens[i+1] == "(" {
			last = i + slices.Index(f.tokens[i:], ")")
		}
		for j := i + 1; j <= min(last, len(f.tokens)-1); j++ {
			if name, ok := literal(f.tokens[j]); ok {
				names[path.Base(name)] = name
				if before := f.tokens[j-1]; before != "(" && before != "import" && !strings.HasPrefix(before, `"`) {
					delete(names, path.Base(name))
					names[before] = name
				}
			}
		}
	}
	return names
}

// literal returns the text of a string literal.
func literal(token string) (text string, ok bool) {
	if !strings.HasPrefix(token, `"`) && !strings.HasPrefix(token, "`") {
		return "", false
	}
	text, err := strconv.Unquote(token)
	return text, err == nil
}

// own returns the folder of an imported package of this module.
func own(imported string) (folder string, ok bool) {
	return strings.CutPrefix(imported, module+"/")
}

// imports returns what the Go files of a folder import.
func (t *Sources) imports(folder string) ([]string, error) {
	paths, err := t.list(folder)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, p := range paths {
		f, err := t.read(p)
		if err != nil {
			return nil, err
		}
		all = slices.AppendSeq(all, maps.Values(f.imported()))
	}
	return all, nil
}

// closure returns the folders of packages and of all that they import in this module, and the
// modules that these import, each with its version.
func (t *Sources) closure(folders ...string) (packages, modules []string, err error) {
	seen, versions := map[string]bool{}, map[string]bool{}
	for next := folders; len(next) > 0; {
		folder := next[0]
		next = next[1:]
		if seen[folder] {
			continue
		}
		seen[folder] = true
		imported, err := t.imports(folder)
		if err != nil {
			return nil, nil, err
		}
		for _, name := range imported {
			if sub, ok := own(name); ok {
				next = append(slices.Clip(next), sub)
			} else if m := t.required(name); m != "" {
				versions[m] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(seen)), slices.Sorted(maps.Keys(versions)), nil
}

// required returns the module of a package with its version; "" for the standard library.
func (t *Sources) required(name string) string {
	for m := name; m != "."; m = path.Dir(m) {
		if v, ok := t.requires[m]; ok {
			return m + " " + v
		}
	}
	return ""
}

// A digest sums files and texts up, in whatever order they come.
type digest struct{ parts []string }

func (d *digest) text(what, text string) {
	d.parts = append(d.parts, fmt.Sprintf("%s %x", what, sha256.Sum256([]byte(text))))
}

// files adds files of a folder; keep says which, by their names.
func (d *digest) files(t *Sources, folder string, keep func(name string) bool) error {
	return d.each(t, folder, keep, func(f *file) [sha256.Size]byte { return f.sum })
}

// silent adds files of a folder without what they say to people.
func (d *digest) silent(t *Sources, folder string, keep func(name string) bool) error {
	return d.each(t, folder, keep, func(f *file) [sha256.Size]byte { return f.silent })
}

func (d *digest) each(t *Sources, folder string, keep func(name string) bool, sum func(*file) [sha256.Size]byte) error {
	paths, err := t.list(folder)
	if err != nil {
		return err
	}
	for _, p := range paths {
		if !keep(path.Base(p)) {
			continue
		}
		f, err := t.read(p)
		if err != nil {
			return err
		}
		d.parts = append(d.parts, fmt.Sprintf("%s %x", folder, sum(f)))
	}
	return nil
}

// every keeps every file.
func every(string) bool { return true }

// sum returns eight hexadecimal digits.
func (d *digest) sum() string {
	slices.Sort(d.parts)
	sum := sha256.Sum256([]byte(strings.Join(slices.Compact(d.parts), "\n")))
	return fmt.Sprintf("%x", sum[:4])
}
