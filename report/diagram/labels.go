package diagram

import (
	"fmt"
	"strings"

	"locktorture/history"
	"locktorture/report/words"
)

// AnswerClass is the class of the arrow of an answer: ok or bad.
func AnswerClass(op history.Op) string {
	if op.Type == history.OK {
		return "ok"
	}
	return "bad"
}

func outcomeWord(op history.Op) string {
	switch op.Type {
	case history.OK:
		return "ok"
	case history.Fail:
		return strings.TrimSpace("refused " + words.Short(op.Error, 24))
	}
	return strings.TrimSpace("unknown " + words.Short(op.Error, 24))
}

// GrantLabel is the label of the answer to an acquire: "granted, lease 1, token 33".
func GrantLabel(op history.Op) string {
	if op.Type != history.OK {
		return string(op.F) + " " + outcomeWord(op)
	}
	s := fmt.Sprintf("granted, lease %d", op.Lease)
	if op.Token > 0 {
		s += fmt.Sprintf(", token %d", op.Token)
	}
	return s
}

func validityLabel(op history.Op) string {
	if op.Type != history.OK {
		return outcomeWord(op)
	}
	least, _ := op.Validity()
	if least == 0 {
		return "ok"
	}
	return "valid until " + words.Exact(least)
}

func accessLabel(op history.Op) string {
	s := fmt.Sprintf("%s %s = %s", op.F, words.Short(op.Key, 16), words.Short(op.Value, 16))
	switch {
	case op.Refused == history.ByStore:
		return s + " refused: stale"
	case op.Type == history.OK && op.Apply > 0:
		return fmt.Sprintf("%s (no. %d)", s, op.Apply)
	case op.Type == history.OK:
		return s
	}
	return s + " " + outcomeWord(op)
}

// StoreName is the name of the lifeline of a store.
func StoreName(op history.Op) string { return strings.TrimSpace(words.Short(op.Store, 16) + " store") }

// nodeName is the lifeline of the nodes that a fault struck.
func nodeName(list string) string {
	if n := strings.Count(list, ",") + 1; n > 1 {
		return fmt.Sprintf("node group of %d", n)
	}
	return "node " + words.Short(list, 20)
}
