package simulate

import (
	"encoding/json"
	"fmt"
	"strings"

	"locktorture/nemesis"
	"locktorture/simulate/inside"
	"locktorture/simulate/schedule"
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
func (b *blow) step() nemesis.Step { return stepOf(b.number, b.Decision) }

func stepOf(number int, b schedule.Decision) nemesis.Step {
	s := nemesis.Step{N: number, For: b.For}
	switch b.Kind {
	case schedule.Pause, schedule.Stop:
		s.Fault = nemesis.Pause{}.Traits().Name
	case schedule.Kill:
		s.Fault = nemesis.KillClient{}.Traits().Name
	case schedule.Skew:
		s.Fault, s.Offset = nemesis.ClientClock{}.Traits().Name, b.By
	case schedule.Hold, schedule.Reorder:
		s.Fault = nemesis.Hold{}.Traits().Name
	case schedule.Drop:
		s.Fault = inside.Drop
	case schedule.Reset:
		s.Fault = inside.Reset
	case schedule.Clock:
		s.Fault, s.Offset = nemesis.Clock{}.Traits().Name, b.By
	case schedule.Restart:
		s.Fault, s.Wipe = nemesis.Restart{}.Traits().Name, b.Lost
	}
	switch b.Kind {
	case schedule.Clock, schedule.Stop, schedule.Restart:
	default:
		s.Clients = []int{b.At.Client}
	}
	for _, n := range struckNodes(b) {
		s.Nodes = append(s.Nodes, n-1)
	}
	return s
}

// struckNodes are the servers that a decision strikes, or whose connections.
func struckNodes(b schedule.Decision) []int {
	if b.Kind == schedule.Drop || b.Kind == schedule.Reorder {
		return []int{b.At.Node}
	}
	return b.Strikes()
}

// seen says what the effect of a blow is, as faults of a real run do.
func (b *blow) seen(w *world) string {
	var names []string
	for _, n := range struckNodes(b.Decision) {
		names = append(names, w.nodes[n-1].name)
	}
	servers, c := strings.Join(names, ", "), fmt.Sprintf("c%d", b.At.Client)
	what, data := "requests", "kept"
	if b.At.Kind == schedule.Reply {
		what = "replies"
	}
	if b.Lost {
		data = "emptied"
	}
	return map[schedule.Kind]string{
		schedule.Pause:   "stopped " + c,
		schedule.Kill:    "killed " + c,
		schedule.Skew:    fmt.Sprintf("clock of %s tells %+.3f s", c, b.By.Seconds()),
		schedule.Hold:    fmt.Sprintf("held back %s of %s and %s", what, c, servers),
		schedule.Drop:    fmt.Sprintf("lost a message of %s and %s, and their connection", c, servers),
		schedule.Reset:   fmt.Sprintf("reset the connection of %s and %s", c, servers),
		schedule.Reorder: fmt.Sprintf("held back a message of %s and %s until another passes", c, servers),
		schedule.Clock:   fmt.Sprintf("clocks of %s tell %+.3f s", servers, b.By.Seconds()),
		schedule.Stop:    servers + " stopped",
		schedule.Restart: fmt.Sprintf("%s killed, data %s", servers, data),
	}[b.Kind] + " at " + b.At.String()
}
