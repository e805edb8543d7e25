package simulate

import (
	"fmt"
	"time"

	"locktorture/nemesis/points/faults"
	"locktorture/nemesis/points/schedule"
	"locktorture/simulate/inside"
)

// A blow is a decision of the schedule with its state.
type blow struct {
	schedule.Decision
	w       *world
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

// strike begins a fault and plans its end.
func (b *blow) strike(s site) {
	b.w.sum.note("fault", b.number, []byte(b.String()))
	if s.m != nil {
		b.At.Node = s.m.conn.node.number
	}
	if b.Leader {
		b.Nodes = b.w.servers.leader()
	}
	why := b.excuse(s)
	if why == "" {
		why = b.apply(s)
	}
	if why != "" {
		b.miss(why)
		return
	}
	b.begun = true
	b.w.clock.after(b.late(s)+b.lasts(), b.end)
}

// apply begins the effect of a fault. It returns the reason if the fault had no target, else "".
func (b *blow) apply(s site) (why string) {
	switch b.Kind {
	case schedule.Pause, schedule.Kill:
		b.signal(s)
	case schedule.Skew:
		s.client.skew += int64(b.By)
		b.struck(func() { s.client.skew -= int64(b.By) })
	case schedule.Hold:
		b.hold(s.m)
	case schedule.Drop:
		b.drop(s.m)
	case schedule.Reset:
		return b.reset(s.m)
	case schedule.Reorder:
		b.reorder(s.m)
	case schedule.Compact, schedule.Revoke:
		return b.errand()
	default:
		b.strikeNodes()
	}
	return ""
}

// excuse returns the reason why a fault has no target; "" if it has one.
func (b *blow) excuse(s site) string {
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
	case schedule.Stop, schedule.Restart, schedule.Fsync, schedule.Cut, schedule.Blackout, schedule.Power, schedule.EIO:
		for _, n := range b.Strikes() {
			switch at := b.w.servers.all[n-1]; {
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
	switch {
	case b.Kind == schedule.Drop:
		return max(b.For, resetTime)
	case faults.ErrandOf(b.Kind) != nil:
		return errandLimit
	}
	return b.For
}

// struck records that a fault took effect; undo ends it.
func (b *blow) struck(undo func()) {
	b.inPlace, b.undo, b.res.At = true, undo, b.w.clock.time()
	step := b.step()
	b.w.tell(inside.Message{Strike: &step, Seen: b.seen()})
}

// miss records that a fault had no target.
func (b *blow) miss(why string) {
	b.res.Why = why
	step := b.step()
	b.w.tell(inside.Message{Strike: &step, Missed: why})
}

// end ends a fault whose point was reached.
func (b *blow) end() {
	b.w.net.disarm(b)
	if b.begun && b.res.At == Never {
		b.miss("nothing was sent meanwhile")
	}
	b.begun = false
	b.heal()
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
func (b *blow) heal() {
	if !b.inPlace {
		return
	}
	b.w.sum.note("heal", b.number, nil)
	if b.inPlace = false; b.undo != nil {
		b.undo()
	}
	if b.Kind != schedule.Kill {
		b.res.Healed = b.w.clock.time()
	}
	b.w.tell(inside.Message{Heal: b.number})
}
