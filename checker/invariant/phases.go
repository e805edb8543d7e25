package invariant

import (
	"fmt"
	"strings"

	"locktorture/checker"
	"locktorture/history"
)

// Phases judges the workload "phases": nobody is a phase ahead. If a client looks at another
// client in one phase and again two phases later, it finds that the other has come in between.
// The other came for the phase in between after it had left the first phase, and it could not
// leave that before the looking client called to leave. One phase later may be too soon to
// tell, because a client that was stopped past its session may look late. The loss counts
// looks that found that the other had not come.
type Phases struct{}

var _ checker.Invariant = Phases{}

type phases struct {
	seen  map[glance][2]*history.Op // the last two looks, the older first
	ahead int
	of    int
}

// A glance names the client that looks, and the key of the other client that it looks at.
type glance struct {
	client int
	key    string
}

// Begin implements checker.Invariant.
func (Phases) Begin() checker.Replay { return &phases{seen: map[glance][2]*history.Op{}} }

// Apply implements checker.Replay.
func (r *phases) Apply(op *history.Op) []checker.Anomaly {
	if !strings.HasPrefix(workKey(op), "come/") {
		return nil
	}
	now, err := checker.Number(op.Value)
	switch {
	case err != nil:
		return []checker.Anomaly{torn(op)}
	case op.F != history.Read:
		return nil
	}
	r.of++
	at := glance{op.Client, op.Key}
	before := r.seen[at][0]
	r.seen[at] = [2]*history.Op{r.seen[at][1], op}
	if before == nil {
		return nil
	}
	if was, _ := checker.Number(before.Value); now > was {
		return nil
	}
	r.ahead++
	return []checker.Anomaly{{
		Kind: "phase-ahead", Lock: op.Lock, Key: op.Key, Time: op.Time, Ops: checker.Witness(before, op),
		Sentence: fmt.Sprintf("%s saw %s in %s at %s (apply %d) and again at %s (apply %d), two phases later: the other client had not arrived in between",
			client(op), op.Value, op.Key, checker.At(before.Time), before.Apply, checker.At(op.Time), op.Apply),
	}}
}

// Loss implements checker.Replay.
func (r *phases) Loss() checker.Loss { return checker.Loss{Lost: r.ahead, Of: r.of, Unit: "looks"} }
