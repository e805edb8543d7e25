package simulate

import (
	"encoding/json"

	"locktorture/nemesis"
	"locktorture/nemesis/points/faults"
	"locktorture/simulate/inside"
)

// tell sends a message to the harness, which receives it at the present time.
func (w *world) tell(m inside.Message) {
	line, err := json.Marshal(m)
	if err != nil {
		w.fail("tell the harness: %w", err)
		return
	}
	w.sum.note("tell", 0, line)
	w.harness.proc.File(0).Deliver(append(line, '\n'))
	w.clock.after(0, w.harness.kick)
}

// step returns the fault as a step of package nemesis.
func (b *blow) step() nemesis.Step { return faults.Step(b.Decision, b.number) }

// seen describes the effect of the fault.
func (b *blow) seen() string {
	return faults.Seen(b.Decision, func(n int) string { return b.w.servers.all[n-1].name })
}
