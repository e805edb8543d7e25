package report

import (
	"fmt"
	"slices"
	"strings"

	"locktorture/history"
)

// A band is one fault of the run: from its effect to its heal.
type band struct {
	N      int    `json:"n"`
	Kind   string `json:"kind"`
	Node   string `json:"node"`
	What   string `json:"what"`
	Client int    `json:"client"`
	From   int64  `json:"from"` // µs
	To     int64  `json:"to"`   // µs
	// Healed is false where the history has no heal: it ends at the end.
	Healed bool `json:"healed"`
	// Next is the time, in ns, from the fault to the next grant; After the
	// same from the heal. -1: there was none.
	Next  int64 `json:"-"`
	After int64 `json:"-"`
}

// buildBands pairs faults and heals and measures the recovery after each.
func buildBands(h history.History) []band {
	var out []band
	open := map[int]int{}
	var end int64
	for _, op := range h {
		end = op.Time
		switch op.F {
		case history.Fault:
			open[op.Fault] = len(out)
			out = append(out, band{N: op.Fault, Kind: word(op.Key), Node: clean(op.Node, 3*maxWord), What: clean(op.Value+errorTail(op), 3*maxWord),
				Client: op.Client, From: op.Time, To: -1})
		case history.Heal:
			if i, ok := open[op.Fault]; ok && out[i].To < 0 {
				out[i].To, out[i].Healed = op.Time, true
			}
		}
	}
	grants := grantTimes(h)
	for i := range out {
		b := &out[i]
		if b.To < 0 {
			b.To = end
		}
		b.Next, b.After = nextAfter(grants, b.From), nextAfter(grants, b.To)
		b.From, b.To = b.From/1000, b.To/1000
	}
	return out
}

func errorTail(op history.Op) string {
	if op.Error == "" {
		return ""
	}
	return " – " + op.Error
}

// grantTimes are the times of all grants, in order.
func grantTimes(h history.History) []int64 {
	var out []int64
	for _, op := range h {
		if isGrant(op) {
			out = append(out, op.Time)
		}
	}
	return out
}

func isGrant(op history.Op) bool {
	return op.Type == history.OK && (op.F == history.Acquire || op.F == history.Try)
}

func nextAfter(grants []int64, t int64) int64 {
	i, _ := slices.BinarySearch(grants, t)
	if i == len(grants) {
		return -1
	}
	return grants[i] - t
}

// struck names what a fault struck.
func (b band) struck() string {
	var parts []string
	if b.Client > 0 && !strings.Contains(b.Node, "client") {
		parts = append(parts, fmt.Sprintf("client %d", b.Client))
	}
	if b.Node != "" {
		parts = append(parts, b.Node)
	}
	return strings.Join(parts, ", ")
}
