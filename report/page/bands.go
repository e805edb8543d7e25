package page

import (
	"fmt"
	"slices"
	"strings"

	"locktorture/history"
	"locktorture/report/words"
)

// A Band is one fault of the run: from before it was put in place to its heal.
type Band struct {
	N      int    `json:"n"`
	Kind   string `json:"kind"`
	Node   string `json:"node"`
	What   string `json:"what"`
	Client int    `json:"client"`
	// Effect is what becomes of its victim.
	Effect history.Effect `json:"effect,omitempty"`
	// Since is when it began to be put in place, From when its effect was seen; both in µs.
	Since int64 `json:"since"`
	From  int64 `json:"from"`
	To    int64 `json:"to"`
	// Healed is false where the history has no heal: it ends at the end.
	Healed bool `json:"healed"`
	// Next is the time, in ns, from the fault to the next grant; After the
	// same from the heal. -1: there was none.
	Next  int64 `json:"-"`
	After int64 `json:"-"`
}

// fault pairs faults and heals and measures the recovery after each.
func (v *overview) fault(op *history.Op) {
	if op.F == history.Fault {
		since := op.Time
		if began, ok := op.Began(); ok {
			since = began
		}
		v.open[op.Fault] = len(v.bands)
		v.bands = append(v.bands, Band{N: op.Fault, Kind: words.Word(op.Kind()), Node: words.Clean(op.Node, 3*words.MaxWord), What: words.Clean(op.Seen()+errorTail(op), 3*words.MaxWord),
			Client: op.Client, Effect: op.FaultTraits().Effect, Since: since, From: op.Time, To: -1, Next: v.sameStamp(op.Time), After: -1})
		return
	}
	if i, ok := v.open[op.Fault]; ok && v.bands[i].To < 0 {
		v.bands[i].To, v.bands[i].Healed, v.bands[i].After = op.Time, true, v.sameStamp(op.Time)
		v.healed++
	}
}

// sameStamp is 0 if a grant has the stamp t already, else -1: none so far.
func (v *overview) sameStamp(t int64) int64 {
	if v.lastGrant == t {
		return 0
	}
	return -1
}

// recovered ends the recoveries that wait for a grant.
func (v *overview) recovered(t int64) {
	for ; v.next < len(v.bands); v.next++ {
		if b := &v.bands[v.next]; b.Next < 0 {
			b.Next = t - b.From
		}
	}
	if v.healed == 0 {
		return
	}
	v.healed = 0
	for i := range v.bands {
		if b := &v.bands[i]; b.Healed && b.After < 0 {
			b.After = t - b.To
		}
	}
}

func (v *overview) finishBands() {
	for i := range v.bands {
		b := &v.bands[i]
		if b.To < 0 {
			b.To, b.After = v.end, v.sameStamp(v.end)
		}
		b.Since, b.From, b.To = b.Since/1000, b.From/1000, b.To/1000
	}
}

func errorTail(op *history.Op) string {
	if op.Error == "" {
		return ""
	}
	return " – " + op.Error
}

func isGrant(op *history.Op) bool {
	return op.Type == history.OK && (op.F == history.Acquire || op.F == history.Try)
}

// Struck names what a fault struck. The node of a fault of a client may be the client.
func (b Band) Struck() string {
	var parts []string
	if b.Node != "" {
		parts = strings.Split(words.Nodes(strings.Split(b.Node, ",")), ", ")
	}
	if client := fmt.Sprintf("c%d", b.Client); b.Client > 0 && !strings.Contains(b.Node, "client") && !slices.Contains(parts, client) {
		parts = slices.Insert(parts, 0, client)
	}
	return strings.Join(parts, ", ")
}
