package main

import (
	"fmt"
	"go/ast"
	"strings"
)

// A mutator is one kind of change. The names follow gremlins.
type mutator string

const (
	boundary  mutator = "CONDITIONALS_BOUNDARY"
	negation  mutator = "CONDITIONALS_NEGATION"
	logical   mutator = "INVERT_LOGICAL"
	base      mutator = "ARITHMETIC_BASE"
	negatives mutator = "INVERT_NEGATIVES"
	assigned  mutator = "INVERT_ASSIGNMENTS"
	incDec    mutator = "INCREMENT_DECREMENT"
	loopCtrl  mutator = "INVERT_LOOPCTRL"
)

// A mutant is one change of one place.
type mutant struct {
	id       int
	mutator  mutator
	pkg      string // directory in the module
	file     string
	line     int
	function string
	change   string // what stood there → what stands there now
	nth      int    // of the same change in the function, from 1
	room     bool   // it only changes how much room is made
}

// key names a mutant beyond changes of other lines.
func (m *mutant) key() string { return m.pkg + " " + m.name() }

// name is the key within the package.
func (m *mutant) name() string {
	name := m.function + ": " + m.change
	if m.nth > 1 {
		name += fmt.Sprintf(" (%d)", m.nth)
	}
	return name
}

// swapped is what each mutator puts in place of an operator.
var swapped = map[mutator]map[string]string{
	boundary:  {"<": "<=", "<=": "<", ">": ">=", ">=": ">"},
	negation:  {"==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<"},
	logical:   {"&&": "||", "||": "&&"},
	base:      {"+": "-", "-": "+", "*": "/", "/": "*", "%": "*"},
	negatives: {"-": "+"},
	assigned:  {"+=": "-=", "-=": "+=", "*=": "/=", "/=": "*="},
	incDec:    {"++": "--", "--": "++"},
	loopCtrl:  {"break": "continue", "continue": "break"},
}

const sideWidth = 50 // characters of an operand that a name shows

// describe shows the operator with the ends of its operands beside it.
func describe(left, op, to, right string) string {
	left, right = strings.Join(strings.Fields(left), " "), strings.Join(strings.Fields(right), " ")
	if r := []rune(left); len(r) > sideWidth {
		left = "…" + string(r[len(r)-sideWidth:])
	}
	if r := []rune(right); len(r) > sideWidth {
		right = string(r[:sideWidth]) + "…"
	}
	return strings.TrimSpace(fmt.Sprintf("%s [%s → %s] %s", left, op, to, right))
}

// functionName is a function as Go writes it, with its receiver.
func functionName(d *ast.FuncDecl, text func(ast.Node) string) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return d.Name.Name
	}
	return "(" + text(d.Recv.List[0].Type) + ")." + d.Name.Name
}
