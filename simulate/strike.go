package simulate

import (
	"fmt"
	"slices"
	"time"

	"locktorture/nemesis/points/schedule"
	"locktorture/simulate/inside"
)

// A blow is a decision of the schedule, and what it has come to.
type blow struct {
	schedule.Decision
	number  int // of the fault in the history, from 1
	res     *Strike
	client  *process // that it has halted
	begun   bool     // its point has come
	inPlace bool
	undo    func() // what the host does at its end; may be nil
}

// A site is where a blow strikes.
type site struct {
	client *process // nil: it has none now
	m      *message // nil: at a gate of the client
}

// A message is one that is at its point, before it is on its way.
type message struct {
	conn   *conn
	way    *way
	broken bool // the connection breaks once it has arrived
}

// plan makes the blows of the schedule.
func (w *world) plan() error {
	if err := w.cfg.Schedule.Check(w.cfg.Order.Clients, len(w.nodes)); err != nil {
		return err
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

// hush lets the harness not wait for an answer at its gates, once none of them strikes any more.
func (w *world) hush() { w.harness.proc.Quiet = w.gates == 0 && w.cfg.Order.Script == nil }

// stopsAmid reports whether a fault may stop a client, or move its clock, while it writes.
func (w *world) stopsAmid(client int) bool {
	return slices.ContainsFunc(w.cfg.Schedule, func(d schedule.Decision) bool {
		amid := d.Kind == schedule.Pause || d.Kind == schedule.Kill || d.Kind == schedule.Skew
		return amid && d.At.Client == client && d.At.Kind == schedule.Send
	})
}

// point is reached: what the schedule has for it strikes.
func (w *world) point(at schedule.Point, s site) (struck bool) {
	if !w.striking {
		return false
	}
	w.counts[at]++
	at.Ordinal = w.counts[at]
	w.res.Points = append(w.res.Points, Point{at, w.now})
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

// strike does what a decision says.
func (w *world) strike(b *blow, s site) {
	w.note("fault", b.number, []byte(b.String()))
	why := w.excuse(b, s)
	if why == "" {
		why = w.blow(b, s)
	}
	if why != "" {
		w.miss(b, why)
		return
	}
	b.begun = true
	w.after(w.late(b, s)+b.lasts(), func() { w.end(b) })
}

// blow strikes. It returns why it has struck nobody, or "".
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

// excuse is why a blow can strike nobody; "" if it can.
func (w *world) excuse(b *blow, s site) string {
	switch b.Kind {
	case schedule.Pause, schedule.Kill, schedule.Skew:
		switch {
		case s.client == nil || s.client.doomed || s.client.proc.Done():
			return fmt.Sprintf("c%d is dead", b.At.Client)
		case b.Kind == schedule.Pause && s.client.proc.Halted():
			return fmt.Sprintf("c%d stands still already", b.At.Client)
		}
	case schedule.Stop, schedule.Restart:
		for _, n := range b.Strikes() {
			if w.nodes[n-1].down {
				return w.nodes[n-1].name + " is down already"
			}
		}
	}
	return ""
}

// lasts is how long the blow is in place, from its point on.
func (b *blow) lasts() time.Duration {
	if b.Kind == schedule.Drop {
		return max(b.For, resetTime)
	}
	return b.For
}

// struck notes that a blow has had its effect.
func (w *world) struck(b *blow, undo func()) {
	b.inPlace, b.undo, b.res.At = true, undo, w.now
	step := b.step()
	w.tell(inside.Message{Strike: &step, Seen: b.seen(w)})
}

// miss notes that a blow has struck nobody.
func (w *world) miss(b *blow, why string) {
	b.res.Why = why
	step := b.step()
	w.tell(inside.Message{Strike: &step, Missed: why})
}

// end ends a blow whose point has come.
func (w *world) end(b *blow) {
	w.armed = slices.DeleteFunc(w.armed, func(a armed) bool { return a.b == b })
	if b.begun && b.res.At == Never {
		w.miss(b, "nothing was sent meanwhile")
	}
	b.begun = false
	w.heal(b)
}

// foundNobody notes that the harness could not strike where the host could.
func (b *blow) foundNobody(why string) {
	if b.res.Why == "" {
		b.res.At, b.res.Healed, b.res.Why = Never, Never, why
	}
	if b.client != nil {
		b.client.doomed = false
		b.client.goOn()
	}
}

// heal undoes a blow that is in place.
func (w *world) heal(b *blow) {
	if !b.inPlace {
		return
	}
	w.note("heal", b.number, nil)
	if b.inPlace = false; b.undo != nil {
		b.undo()
	}
	if b.Kind != schedule.Kill {
		b.res.Healed = w.now
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
