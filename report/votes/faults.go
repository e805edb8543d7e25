package votes

import (
	"slices"
	"strings"

	"locktorture/history"
	"locktorture/report/words"
)

// Faults are those that can make a server forget a key: they moved its clock, or ended it.
type Faults struct {
	Struck []history.Op
	Heals  map[int]history.Op // by fault
}

// Matters reports whether a fault is one of these.
func Matters(op *history.Op) bool {
	effect := op.FaultTraits().Effect
	return op.F == history.Fault && (effect == history.Skewed || effect == history.Down)
}

// Clock says how the clock of a server was moved at a time; "" if it was not.
func (f Faults) Clock(node string, at int64) string {
	for _, op := range f.Struck {
		heal, healed := f.Heals[op.Fault]
		if skewed(op, node) && op.Time <= at && (!healed || heal.Time > at) {
			return moved(op)
		}
	}
	return ""
}

// between says what struck a server between two times: its clock, else the server itself.
func (f Faults) between(node string, from, to int64) string {
	if now := f.Clock(node, to); now != "" {
		return "its clock " + now
	}
	for _, op := range slices.Backward(f.Struck) {
		heal, healed := f.Heals[op.Fault]
		if op.Time > to || healed && heal.Time < from || !slices.Contains(op.Nodes(), node) {
			continue
		}
		if skewed(op, node) {
			return "its clock was " + moved(op) + " until " + words.At(heal.Time)
		}
		if op.Time >= from {
			return words.Short(op.Kind(), 24) + " at " + words.At(op.Time)
		}
	}
	return ""
}

func skewed(op history.Op, node string) bool {
	return op.FaultTraits().Effect == history.Skewed && slices.Contains(op.Nodes(), node)
}

// moved says how a fault moved clocks, as it wrote what was seen of it.
func moved(op history.Op) string {
	if _, text, ok := strings.Cut(op.Seen(), " tell "); ok {
		offset := strings.Fields(text) // "+1.824", "s;", and what moved it
		return words.Short(strings.TrimRight(strings.Join(offset[:min(2, len(offset))], " "), ",;"), 24)
	}
	if _, rate, ok := strings.Cut(op.Seen(), " run at rate "); ok && rate != "" {
		return "at rate " + words.Short(strings.Fields(rate)[0], 12)
	}
	return "moved"
}
