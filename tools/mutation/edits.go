package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// An edit puts text in place of a piece of a file.
type edit struct {
	at, length int
	text       string
}

// An editor writes all mutants into one file of a package. Its edits only
// bracket what is there, so that mutants nest.
type editor struct {
	*source
	pkg      string
	text     []byte
	begin    token.Pos
	edits    []edit
	mutants  []*mutant
	next     int // the id of the next mutant
	file     string
	function string
	loops    int // how many loops of this function are around
	rooms    int // how many capacities are around
	seen     map[string]int
}

func (e *editor) of(n ast.Node) string { return string(e.text[n.Pos()-e.begin : n.End()-e.begin]) }

func (e *editor) insert(at token.Pos, format string, args ...any) {
	e.replace(at, 0, format, args...)
}

func (e *editor) replace(at token.Pos, length int, format string, args ...any) {
	e.edits = append(e.edits, edit{int(at - e.begin), length, fmt.Sprintf(format, args...)})
}

// add notes a mutant and returns its number.
func (e *editor) add(m mutator, at token.Pos, left, op, right string) int {
	change := describe(left, op, swapped[m][op], right)
	e.seen[e.function+change]++
	id := e.next
	e.next++
	e.mutants = append(e.mutants, &mutant{
		id: id, mutator: m, pkg: e.pkg, file: e.file, line: e.fset.Position(at).Line,
		function: e.function, change: change, nth: e.seen[e.function+change], room: e.rooms > 0,
	})
	return id
}

// result is the file with all edits made. Of edits at one place the one that was noted first
// comes first.
func (e *editor) result() string {
	slices.SortStableFunc(e.edits, func(a, b edit) int { return cmp.Compare(a.at, b.at) })
	var b strings.Builder
	done := 0
	for _, x := range e.edits {
		b.Write(e.text[done:x.at])
		b.WriteString(x.text)
		done = x.at + x.length
	}
	b.Write(e.text[done:])
	return b.String()
}

// instrument writes all mutants into the files of a package. The texts are
// in the order of the files; first is the number of the first mutant.
func instrument(s *source, pkg string, first int) (texts []string, all []*mutant) {
	seen := map[string]int{}
	for i, file := range s.files {
		e := &editor{source: s, pkg: pkg, text: s.texts[i], begin: file.FileStart, file: s.GoFiles[i], next: first + len(all), seen: seen}
		for _, d := range file.Decls {
			e.declaration(d)
		}
		texts, all = append(texts, e.result()), append(all, e.mutants...)
	}
	return texts, all
}

// declaration leaves constants and types alone: their expressions are no code that runs.
func (e *editor) declaration(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Body != nil {
			e.function = functionName(d, e.of)
			e.walk(d.Body)
		}
	case *ast.GenDecl:
		if d.Tok == token.VAR {
			e.function = "var"
			e.walk(d)
		}
	}
}
