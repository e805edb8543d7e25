package diagram

import (
	"fmt"
	"strings"

	"locktorture/history"
	"locktorture/report/words"
)

// AnswerClass returns the class of the arrow of an answer: ok or bad.
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
		return strings.TrimSuffix("refused: "+words.Short(op.Error, 48), ": ")
	}
	return strings.TrimSuffix("unknown: "+words.Short(op.Error, 48), ": ")
}

// GrantLabel returns the label of the answer to an acquire: "granted, lease 1, token 33".
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

// AskLabel returns the label of the answer of a lease to the question how long it is valid.
func AskLabel(op history.Op) string {
	asker := "asks its lease: "
	if op.ForRecord {
		asker = fmt.Sprintf("harness's note: lease %d is ", op.Lease)
	}
	least, _ := op.Validity()
	switch {
	case op.Type == history.Info:
		return strings.TrimSuffix(asker, "is ") + "no answer"
	case op.Type == history.Fail && op.ForRecord:
		return asker + "over"
	case op.Type == history.Fail:
		return asker + "it is over"
	case least == 0:
		return asker + "valid"
	}
	return asker + "valid until " + words.At(least)
}

// AskClass returns the class of that label: a note is the harness's and not the client's.
func AskClass(op history.Op) string {
	switch {
	case op.ForRecord:
		return noteClass
	case op.Type == history.Fail:
		return endClass
	case op.Type == history.Info:
		return "bad"
	}
	return "ask"
}

func accessLabel(op history.Op) string {
	s := fmt.Sprintf("%s %s = %s", op.F, words.Short(op.Key, 16), words.Short(op.Value, 16))
	switch {
	case op.Refused == history.ByStore:
		return s + " refused: stale"
	case op.Type == history.OK && op.Apply > 0:
		return fmt.Sprintf("%s (no.%c%d)", s, unbroken, op.Apply)
	case op.Type == history.OK:
		return s
	}
	return s + " " + outcomeWord(op)
}

// StoreName returns the name of the lifeline of a store.
func StoreName(op history.Op) string { return strings.TrimSpace(words.Short(op.Store, 16) + " store") }

// nodeName returns the lifeline of the nodes that a fault struck: "node redis-1,3,5".
func nodeName(nodes []string) string {
	name := words.Short(strings.Join(nodes, ","), maxNode)
	if len(nodes) < 2 {
		return "node " + name
	}
	family := nodes[0][:strings.LastIndexByte(nodes[0], '-')+1]
	short := nodes[0]
	for _, n := range nodes[1:] {
		number, ok := strings.CutPrefix(n, family)
		if !ok || family == "" {
			return fmt.Sprintf("node group of %d", len(nodes))
		}
		short += "," + number
	}
	if len(short) > maxNode {
		return fmt.Sprintf("node group of %d", len(nodes))
	}
	return "node " + words.Word(short)
}

const maxNode = 20

// ClientName returns the name of the lifeline of whoever did op.
func ClientName(op history.Op) string {
	if op.Client > 0 {
		return clientName(op.Client)
	}
	if op.Process == history.Harness {
		return "harness"
	}
	return fmt.Sprintf("process %d", op.Process)
}

func clientName(client int) string { return fmt.Sprintf("c%d", client) }
