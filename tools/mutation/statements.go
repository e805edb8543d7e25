package main

import (
	"go/ast"
	"go/token"
)

// step turns i++ into an assignment, which may stand wherever i++ may.
func (e *editor) step(n *ast.IncDecStmt) {
	x, op, call := e.of(n.X), n.Tok.String(), "mutantAdd"
	if n.Tok == token.DEC {
		call = "mutantSub"
	}
	id := e.add(incDec, n.TokPos, x, op, "")
	e.replace(n.TokPos, len(op), " = %s(%d, %s, 1)", call, id, x)
}

func (e *editor) assignment(n *ast.AssignStmt) {
	call, ok := calls[n.Tok]
	if !ok || !e.number(n.Lhs[0]) {
		e.walk(n)
		return
	}
	x, op := e.of(n.Lhs[0]), n.Tok.String()
	id := e.add(assigned, n.TokPos, x, op, e.of(n.Rhs[0]))
	e.replace(n.TokPos, len(op), "= %s(%d, %s,", call, id, x)
	e.operand(n.Rhs[0])
	e.insert(n.End(), ")")
}

// branch leaves alone what has a label or is the break of a switch outside of loops.
func (e *editor) branch(n *ast.BranchStmt) {
	if e.loops == 0 || n.Label != nil || n.Tok != token.BREAK && n.Tok != token.CONTINUE {
		return
	}
	op := n.Tok.String()
	id := e.add(loopCtrl, n.TokPos, "", op, "")
	e.replace(n.TokPos, len(op), "if mutant(%d) { %s } else { %s }", id, swapped[loopCtrl][op], op)
}
