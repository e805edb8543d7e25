package invariant

import (
	"fmt"
	"strings"

	"locktorture/checker"
	"locktorture/history"
)

// StartGate judges the workload "start-gate": whoever has passed the latch finds everything
// that had to be prepared. The loss counts looks that found nothing.
type StartGate struct{}

// FanIn judges the workload "fan-in": whoever collects the parts finds all of them. The loss
// is counted as for StartGate.
type FanIn struct{}

var (
	_ checker.Invariant = StartGate{}
	_ checker.Invariant = FanIn{}
)

// Begin implements checker.Invariant.
func (StartGate) Begin() checker.Replay { return &parts{kind: "started-early"} }

// Begin implements checker.Invariant.
func (FanIn) Begin() checker.Replay { return &parts{kind: "missing-part"} }

// parts counts the looks at what parties of a latch did before they counted down.
type parts struct {
	kind    string
	looks   int
	missing int
}

// Apply implements checker.Replay.
func (r *parts) Apply(op *history.Op) []checker.Anomaly {
	if op.F != history.Read || !strings.HasPrefix(workKey(op), "part/") {
		return nil
	}
	r.looks++
	if op.Value != "" {
		return nil
	}
	r.missing++
	return []checker.Anomaly{{
		Kind: r.kind, Lock: op.Lock, Key: op.Key, Time: op.Time, Ops: checker.Witness(op),
		Sentence: fmt.Sprintf("%s had passed the latch, but found nothing in %s at %s (apply %d)", client(op), op.Key, checker.At(op.Time), op.Apply),
	}}
}

// Loss implements checker.Replay.
func (r *parts) Loss() checker.Loss { return checker.Loss{Lost: r.missing, Of: r.looks, Unit: "looks"} }
