package simulate

import (
	"fmt"
	"slices"
	"time"

	"locktorture/nemesis/points/schedule"
	"locktorture/simulate/inside"
	"locktorture/trial"
)

// A blow is a decision of the schedule with its state.
type blow struct {
	schedule.Decision
	number  int // number of the fault in the history, from 1
	res     *Strike
	client  *process // process that the fault has halted; nil: none
	begun   bool     // its point was reached
	inPlace bool
	undo    func() // action of the host that ends the fault; may be nil
}

// A site is the place at which a fault strikes.
type site struct {
	client *process // nil: the client has no process now
	m      *message // nil: at a gate of the client
}

// A message is at its point, before it is sent.
type message struct {
	conn   *conn
	way    *way
	broken bool // the connection breaks when the message has arrived
}

// plan prepares the faults of the schedule. It returns a RefusedError if the run cannot have
// one of them.
func (w *world) plan() error {
	err := w.cfg.Schedule.Check(w.cfg.Order.Clients, len(w.servers.all))
	if err == nil {
		err = w.possible()
	}
	if err != nil {
		return &trial.RefusedError{Why: err.Error()}
	}
	w.res.Struck = make([]Strike, len(w.cfg.Schedule))
	for i, d := range w.cfg.Schedule {
		w.res.Struck[i] = Strike{Decision: d, At: Never, Healed: Never}
		w.blows = append(w.blows, &blow{Decision: d, number: i + 1, res: &w.res.Struck[i]})
		w.due[d.At] = append(w.due[d.At], w.blows[i])
		if d.At.Kind == schedule.Gate {
			w.gates++
		}
	}
	return nil
}

// possible returns an error for a fault of the schedule that the servers cannot have. Single
// servers have no faults of clusters. A cluster has no restart that loses data, and no jump of
// a server's clock.
func (w *world) possible() error {
	if w.cfg.Cluster == nil {
		i := slices.IndexFunc(w.cfg.Schedule, func(d schedule.Decision) bool { return d.Leader || schedule.Forms()[d.Kind].Cluster })
		if i >= 0 {
			return fmt.Errorf("fault %d, %q: only servers of a cluster can have this fault", i+1, w.cfg.Schedule[i])
		}
		return nil
	}
	for i, d := range w.cfg.Schedule {
		switch {
		case d.Lost:
			return fmt.Errorf("fault %d, %q: a cluster does not take back an etcd that has lost its data", i+1, d)
		case d.Kind == schedule.Clock:
			return fmt.Errorf("fault %d, %q: etcd's leases run on the monotonic clock, which no fault moves", i+1, d)
		}
	}
	return nil
}

// hush lets the harness pass its gates without waiting for an answer, once the schedule has no
// more faults at gates.
func (w *world) hush() { w.harness.proc.Quiet = w.gates == 0 && w.cfg.Order.Script == nil }

// stopsAmid reports whether a fault may stop a client, or move its clock, at a write.
func (w *world) stopsAmid(client int) bool {
	return slices.ContainsFunc(w.cfg.Schedule, func(d schedule.Decision) bool {
		amid := d.Kind == schedule.Pause || d.Kind == schedule.Kill || d.Kind == schedule.Skew
		return amid && d.At.Client == client && d.At.Kind == schedule.Send
	})
}

// point counts a point and strikes the faults planned for it. It reports whether there were any.
func (w *world) point(at schedule.Point, s site) (struck bool) {
	if !w.striking {
		return false
	}
	w.counts[at]++
	at.Ordinal = w.counts[at]
	w.res.Points = append(w.res.Points, Point{at, w.clock.time()})
	if s.m != nil {
		w.holdArmed(s.m)
	}
	for _, b := range w.due[at] {
		w.strike(b, s)
	}
	if at.Kind == schedule.Gate {
		w.gates -= len(w.due[at])
		w.hush()
	}
	return len(w.due[at]) > 0
}

// strike begins a fault and plans its end.
func (w *world) strike(b *blow, s site) {
	w.sum.note("fault", b.number, []byte(b.String()))
	if s.m != nil {
		b.At.Node = s.m.conn.node.number
	}
	if b.Leader {
		b.Nodes = w.servers.leader()
	}
	why := w.excuse(b, s)
	if why == "" {
		why = w.blow(b, s)
	}
	if why != "" {
		w.miss(b, why)
		return
	}
	b.begun = true
	w.clock.after(w.late(b, s)+b.lasts(), func() { w.end(b) })
}

// blow applies a fault. It returns the reason if the fault had no target, else "".
func (w *world) blow(b *blow, s site) (why string) {
	switch b.Kind {
	case schedule.Pause, schedule.Kill:
		w.signal(b, s)
	case schedule.Skew:
		s.client.skew += int64(b.By)
		w.struck(b, func() { s.client.skew -= int64(b.By) })
	case schedule.Hold:
		w.hold(b, s.m)
	case schedule.Drop:
		w.drop(b, s.m)
	case schedule.Reset:
		return w.reset(b, s.m)
	case schedule.Reorder:
		w.reorder(b, s.m)
	default:
		w.strikeNodes(b)
	}
	return ""
}

// excuse returns the reason why a fault has no target; "" if it has one.
func (w *world) excuse(b *blow, s site) string {
	if b.Leader && len(b.Nodes) == 0 {
		return "no server leads the others"
	}
	switch b.Kind {
	case schedule.Pause, schedule.Kill, schedule.Skew:
		switch {
		case s.client == nil || s.client.doomed || s.client.proc.Done():
			return fmt.Sprintf("c%d is dead", b.At.Client)
		case b.Kind == schedule.Pause && s.client.proc.Halted():
			return fmt.Sprintf("c%d is already paused", b.At.Client)
		}
	case schedule.Stop, schedule.Restart, schedule.Fsync, schedule.Cut, schedule.Power, schedule.EIO:
		for _, n := range b.Strikes() {
			switch at := w.servers.all[n-1]; {
			case at.down:
				return at.name + " is already down"
			case b.Kind == schedule.Power && at.member.forgets:
				return "the power of " + at.name + " is already due to fail"
			}
		}
	}
	return ""
}

// lasts returns the duration of a fault from its point on.
func (b *blow) lasts() time.Duration {
	if b.Kind == schedule.Drop {
		return max(b.For, resetTime)
	}
	return b.For
}

// struck records that a fault took effect; undo ends it.
func (w *world) struck(b *blow, undo func()) {
	b.inPlace, b.undo, b.res.At = true, undo, w.clock.time()
	step := b.step()
	w.tell(inside.Message{Strike: &step, Seen: b.seen(w)})
}

// miss records that a fault had no target.
func (w *world) miss(b *blow, why string) {
	b.res.Why = why
	step := b.step()
	w.tell(inside.Message{Strike: &step, Missed: why})
}

// end ends a fault whose point was reached.
func (w *world) end(b *blow) {
	w.armed = slices.DeleteFunc(w.armed, func(a armed) bool { return a.b == b })
	if b.begun && b.res.At == Never {
		w.miss(b, "nothing was sent meanwhile")
	}
	b.begun = false
	w.heal(b)
}

// foundNobody records that the harness had no target for a fault that the host had begun.
func (b *blow) foundNobody(why string) {
	if b.res.Why == "" {
		b.res.At, b.res.Healed, b.res.Why = Never, Never, why
	}
	if b.client != nil {
		b.client.doomed = false
		b.client.goOn()
	}
}

// heal ends a fault that is in place.
func (w *world) heal(b *blow) {
	if !b.inPlace {
		return
	}
	w.sum.note("heal", b.number, nil)
	if b.inPlace = false; b.undo != nil {
		b.undo()
	}
	if b.Kind != schedule.Kill {
		b.res.Healed = w.clock.time()
	}
	w.tell(inside.Message{Heal: b.number})
}

// over ends the phase with faults.
func (w *world) over() {
	w.striking = false
	for _, b := range w.blows {
		w.end(b)
	}
	w.tell(inside.Message{Over: true})
}
