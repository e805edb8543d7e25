package simulate

import (
	"encoding/json"

	"locktorture/nemesis"
	"locktorture/nemesis/points/faults"
	"locktorture/simulate/inside"
)

// tell sends the harness a message. It is heard at this time: there is nothing between.
func (w *world) tell(m inside.Message) {
	line, err := json.Marshal(m)
	if err != nil {
		w.fail("tell the harness: %w", err)
		return
	}
	w.note("tell", 0, line)
	w.harness.proc.File(0).Deliver(append(line, '\n'))
	w.after(0, w.harness.kick)
}

// step is the blow as the harness knows faults.
func (b *blow) step() nemesis.Step { return faults.Step(b.Decision, b.number) }

// seen says what the effect of a blow is.
func (b *blow) seen(w *world) string {
	return faults.Seen(b.Decision, func(n int) string { return w.nodes[n-1].name })
}
