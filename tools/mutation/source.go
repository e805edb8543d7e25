package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// A source is a package with its types, test files left out.
type source struct {
	Dir, Name, ImportPath string
	GoFiles               []string

	fset  *token.FileSet
	files []*ast.File
	texts [][]byte
	info  *types.Info
}

// goList asks the go command about packages, and decodes the one answer for each.
func goList[T any](args ...string) ([]T, error) {
	cmd := exec.Command("go", append([]string{"list", "-json"}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var all []T
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var one T
		if err := dec.Decode(&one); err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		all = append(all, one)
	}
	return all, nil
}

// load reads and checks one package. What it imports is taken from the build cache.
func load(pattern string) (*source, error) {
	found, err := goList[source](pattern)
	if err != nil {
		return nil, err
	}
	if len(found) != 1 {
		return nil, fmt.Errorf("%s: %d packages", pattern, len(found))
	}
	s := &found[0]
	s.fset = token.NewFileSet()
	for _, name := range s.GoFiles {
		text, err := os.ReadFile(filepath.Join(s.Dir, name))
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(s.fset, name, text, 0)
		if err != nil {
			return nil, err
		}
		s.files, s.texts = append(s.files, file), append(s.texts, text)
	}
	exports, err := exports(pattern)
	if err != nil {
		return nil, err
	}
	s.info = &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	conf := types.Config{Importer: importer.ForCompiler(s.fset, "gc", exports)}
	if _, err := conf.Check(s.ImportPath, s.fset, s.files, s.info); err != nil {
		return nil, err
	}
	return s, nil
}

// exports opens the compiled forms of what a package imports.
func exports(pattern string) (importer.Lookup, error) {
	type compiled struct{ ImportPath, Export string }
	deps, err := goList[compiled]("-export", "-deps", pattern)
	if err != nil {
		return nil, err
	}
	at := map[string]string{}
	for _, d := range deps {
		at[d.ImportPath] = d.Export
	}
	return func(path string) (io.ReadCloser, error) { return os.Open(at[path]) }, nil
}
