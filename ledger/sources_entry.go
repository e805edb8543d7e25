package ledger

import (
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// tables returns the folders whose map literals have the locks, by their names.
func tables() []string { return []string{"registry", "registry/onredis", "registry/onredis/libraries"} }

// An entry is what the registry says of one lock.
type entry struct {
	texts    []string // tokens of the entry and of the functions that it calls
	packages []string // of locks, which they name
}

// entry finds a lock in the tables. A lock of a configuration file has no entry there.
func (t *Sources) entry(lock string) (entry, error) {
	r := &reading{tree: t, packages: map[string]bool{}, seen: map[string]bool{}}
	for _, folder := range tables() {
		files, err := t.goFiles(folder)
		if err != nil {
			return entry{}, err
		}
		for _, f := range files {
			for _, value := range f.values(strconv.Quote(lock)) {
				if err := r.visit(folder, f, value); err != nil {
					return entry{}, err
				}
			}
		}
	}
	return entry{r.texts, slices.Sorted(maps.Keys(r.packages))}, nil
}

// goFiles reads the Go files of a folder.
func (t *Sources) goFiles(folder string) (files []*file, err error) {
	paths, err := t.list(folder)
	if err != nil {
		return nil, err
	}
	for _, p := range paths {
		f, err := t.read(p)
		if err != nil {
			return nil, err
		}
		if f.tokens != nil {
			files = append(files, f)
		}
	}
	return files, nil
}

// values returns the values, but for plain strings, that a key has in the literals of a file.
func (f *file) values(key string) (list [][]string) {
	for i := range f.tokens {
		if f.tokens[i] != key || i+2 >= len(f.tokens) || f.tokens[i+1] != ":" || f.tokens[i-1] == "case" {
			continue
		}
		if _, plain := literal(f.tokens[i+2]); !plain {
			list = append(list, until(f.tokens[i+2:], ","))
		}
	}
	return list
}

// until returns the tokens before one that stands in no brackets, or before the end of the
// brackets that they stand in.
func until(tokens []string, end string) []string {
	depth := 0
	for i, tok := range tokens {
		switch tok {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		}
		if depth < 0 || depth == 0 && tok == end {
			return tokens[:i]
		}
	}
	return tokens
}

// function returns the tokens of a function of a file; nil if the file has none of that name.
func (f *file) function(name string) []string {
	for i := 0; i+2 < len(f.tokens); i++ {
		if f.tokens[i] == "func" && f.tokens[i+1] == name && (f.tokens[i+2] == "(" || f.tokens[i+2] == "[") {
			return until(f.tokens[i+1:], "}") // of its body
		}
	}
	return nil
}

// A reading follows an entry through the functions that it calls.
type reading struct {
	tree     *Sources
	texts    []string
	packages map[string]bool
	seen     map[string]bool // functions
}

// visit reads tokens of a file.
func (r *reading) visit(folder string, f *file, tokens []string) error {
	r.texts = append(r.texts, strings.Join(silent(tokens), "\n"))
	imported := f.imported()
	for i, tok := range tokens {
		if i > 0 && tokens[i-1] == "." {
			continue // of the name before it
		}
		from, ok := own(imported[tok])
		var err error
		switch {
		case !ok && imported[tok] == "":
			err = r.call(folder, tok)
		case !ok || i+2 >= len(tokens) || tokens[i+1] != ".":
		case strings.HasPrefix(from, "locks/"):
			r.packages[from] = true
		case slices.Contains(tables(), from):
			err = r.call(from, tokens[i+2])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// call follows a function of a folder, if it is one. Those that list locks are no part of one.
func (r *reading) call(folder, name string) error {
	key := folder + "." + name
	if r.seen[key] || name == "Locks" || !token.IsIdentifier(name) {
		return nil
	}
	r.seen[key] = true
	files, err := r.tree.goFiles(folder)
	if err != nil {
		return err
	}
	for _, f := range files {
		if body := f.function(name); body != nil {
			return r.visit(folder, f, body)
		}
	}
	return nil
}

// program adds the module of a driver, whole.
func (t *Sources) program(d *digest, folder string) error {
	if err := d.files(t, folder, every); err != nil {
		return fmt.Errorf("the driver: %w", err)
	}
	return nil
}
