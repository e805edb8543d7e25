package main

import (
	"go/ast"
	"go/token"
	"go/types"
)

// walk visits the children of a node between the edits before and after it.
func (e *editor) walk(n ast.Node) {
	ast.Inspect(n, func(c ast.Node) bool {
		if c == n {
			return true
		}
		if c == nil {
			return false
		}
		return e.visit(c)
	})
}

// visit reports whether the children are still to be visited.
func (e *editor) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		e.binary(n)
	case *ast.UnaryExpr:
		e.unary(n)
	case *ast.IncDecStmt:
		e.step(n)
	case *ast.AssignStmt:
		e.assignment(n)
	case *ast.BranchStmt:
		e.branch(n)
	case *ast.ForStmt, *ast.RangeStmt:
		e.loops++
		e.walk(n)
		e.loops--
	case *ast.FuncLit:
		outer := e.loops
		e.loops = 0
		e.walk(n)
		e.loops = outer
	case *ast.CallExpr:
		e.call(n)
	case *ast.GenDecl:
		return n.Tok == token.VAR
	case *ast.ArrayType:
		return false // its length is a constant
	default:
		return true
	}
	return false
}

// both visits the operands, with text around each.
func (e *editor) both(n *ast.BinaryExpr, before, between, after func()) {
	before()
	e.operand(n.X)
	between()
	e.operand(n.Y)
	after()
}

// call tells the arguments that only say how much room is made: of make the
// third and the second of a map, of slices.Grow the second.
func (e *editor) call(n *ast.CallExpr) {
	e.operand(n.Fun)
	capacity := len(n.Args)
	switch e.of(n.Fun) {
	case "make":
		capacity = 2
		if _, isMap := e.info.Types[n.Args[0]].Type.Underlying().(*types.Map); isMap {
			capacity = 1
		}
	case "slices.Grow":
		capacity = 1
	}
	for i, arg := range n.Args {
		if i == capacity {
			e.rooms++
		}
		e.operand(arg)
	}
	if capacity < len(n.Args) {
		e.rooms--
	}
}

func (e *editor) operand(n ast.Node) {
	if e.visit(n) {
		e.walk(n)
	}
}

func (e *editor) binary(n *ast.BinaryExpr) {
	x, y, op := e.of(n.X), e.of(n.Y), n.Op.String()
	switch n.Op {
	case token.LAND, token.LOR:
		// a && b is !(!a || !b): the same question, put to a mutant three times, turns one
		// into the other.
		id := e.add(logical, n.OpPos, x, op, y)
		e.both(n,
			func() { e.insert(n.Pos(), "((((") },
			func() { e.insert(n.X.End(), ") != mutant(%d))", id); e.insert(n.Y.Pos(), "((") },
			func() { e.insert(n.End(), ") != mutant(%d))) != mutant(%d))", id, id) })
	case token.EQL, token.NEQ:
		id := e.add(negation, n.OpPos, x, op, y)
		e.both(n, func() { e.insert(n.Pos(), "((") }, func() {}, func() { e.insert(n.End(), ") != mutant(%d))", id) })
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		e.order(n, x, op, y)
	case token.ADD, token.SUB, token.MUL, token.QUO, token.REM:
		e.arithmetic(n, x, op, y)
	default:
		e.both(n, func() {}, func() {}, func() {})
	}
}

// order handles comparisons, each of which makes two mutants.
func (e *editor) order(n *ast.BinaryExpr, x, op, y string) {
	edge, turned := e.add(boundary, n.OpPos, x, op, y), e.add(negation, n.OpPos, x, op, y)
	name, sign := "mutantLess", ""
	if n.Op == token.LEQ || n.Op == token.GTR {
		name = "mutantLessEqual"
	}
	if n.Op == token.GTR || n.Op == token.GEQ {
		sign = "!" // a > b is !(a <= b)
	}
	e.both(n,
		func() { e.insert(n.Pos(), "((%s%s(%d, ", sign, name, edge) },
		func() { e.replace(n.OpPos, len(op), ",") },
		func() { e.insert(n.End(), ")) != mutant(%d))", turned) })
}

var calls = map[token.Token]string{
	token.ADD: "mutantAdd", token.SUB: "mutantSub", token.MUL: "mutantMul", token.QUO: "mutantQuo", token.REM: "mutantRem",
	token.ADD_ASSIGN: "mutantAdd", token.SUB_ASSIGN: "mutantSub", token.MUL_ASSIGN: "mutantMul", token.QUO_ASSIGN: "mutantQuo",
}

// arithmetic leaves strings alone, and what is computed of untyped constants.
func (e *editor) arithmetic(n *ast.BinaryExpr, x, op, y string) {
	if !e.number(n) || e.constant(n.X) && e.constant(n.Y) {
		e.both(n, func() {}, func() {}, func() {})
		return
	}
	id := e.add(base, n.OpPos, x, op, y)
	e.both(n,
		func() { e.insert(n.Pos(), "%s(%d, ", calls[n.Op], id) },
		func() { e.replace(n.OpPos, len(op), ",") },
		func() { e.insert(n.End(), ")") })
}

func (e *editor) unary(n *ast.UnaryExpr) {
	if n.Op != token.SUB || e.constant(n.X) {
		e.walk(n)
		return
	}
	id := e.add(negatives, n.OpPos, "", "-", e.of(n.X))
	e.replace(n.OpPos, 1, "mutantNeg(%d, ", id)
	e.operand(n.X)
	e.insert(n.End(), ")")
}

func (e *editor) number(n ast.Expr) bool {
	basic, ok := e.info.Types[n].Type.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsNumeric != 0
}

// constant reports whether an expression is one of literals. A named constant
// has a type or is converted as its other operand is.
func (e *editor) constant(n ast.Expr) bool { return e.info.Types[n].Value != nil }
