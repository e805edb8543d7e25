package harness

import (
	"fmt"
	"time"

	"locktorture/history"
	"locktorture/nemesis"
)

// declare stores the traits that a kind of fault declares, for the entries of its faults.
func (r *Run) declare(kind string, n nemesis.Declared) {
	t := n.Traits()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.declared[kind] = &history.FaultTraits{
		Effect: t.Effect, TakesLocks: t.TakesLocks, LeavesCopies: t.LeavesCopies, UpsetsAll: t.UpsetsAll,
		SeenLate: t.SeenLate, Ahead: t.Ahead,
	}
}

// faultBegan stores the start of a fault that disturbs the system before its effect is observed.
func (r *Run) faultBegan(s nemesis.Step) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.began[s.N] = r.cfg.Now()
}

// faultStruck records a fault whose effect was observed.
func (r *Run) faultStruck(s nemesis.Step, seen string) {
	r.fault(s, history.Fault, seen)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.struck++
	r.inPlace[s.N] = s.Fault
}

// faultHealed records the end of a fault. It lets a client go on that the fault stopped, unless
// another fault still holds the client's gate.
func (r *Run) faultHealed(s nemesis.Step) {
	r.fault(s, history.Heal, "")
	r.mu.Lock()
	traits := r.declared[s.Fault]
	delete(r.inPlace, s.N)
	r.lastHeal = time.Now()
	r.mu.Unlock()
	if traits == nil || traits.Effect != history.Stopped {
		return
	}
	for _, n := range s.Clients {
		if n <= len(r.clients) { // the clients of a script are handled by the script
			r.clients[n-1].goOn()
		}
	}
}

// calm returns for how long no fault has been in place. Outages in the tail do not count, because
// they may last for ever.
func (r *Run) calm() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.inPlace) > 0 && !r.tail {
		return 0
	}
	return time.Since(r.lastHeal)
}

// faultMissed records a fault that had no target. It does not count as a fault of the run.
func (r *Run) faultMissed(s nemesis.Step, err error) {
	op := r.faultOp(s)
	op.F, op.Type, op.Error = history.Fault, history.Fail, err.Error()
	r.record(op)
}

func (r *Run) fault(s nemesis.Step, f history.F, seen string) {
	op := r.faultOp(s)
	op.F, op.Type, op.Value = f, history.Info, seen
	r.record(op)
}

func (r *Run) faultOp(s nemesis.Step) history.Op {
	op := history.Op{Process: history.Nemesis, Key: s.Fault, Fault: s.N}
	r.mu.Lock()
	op.SetBegan(r.began[s.N])
	op.Traits = r.declared[s.Fault]
	r.mu.Unlock()
	if op.Traits != nil && s.Rate > 0 && s.Rate != 1 {
		own := *op.Traits
		own.Rate, op.Traits = s.Rate, &own
	}
	if len(s.Clients) == 1 {
		op.Client = s.Clients[0]
	}
	op.Node = struckNames(r.cfg.World, s)
	return op
}

// struckNames lists the targets of a fault: "c2", "redis-1,redis-3".
func struckNames(w *nemesis.World, s nemesis.Step) string {
	var names []string
	for _, c := range s.Clients {
		names = append(names, fmt.Sprintf("c%d", c))
	}
	for _, n := range s.Nodes {
		names = append(names, w.Nodes[n].Name())
	}
	return history.JoinNodes(names)
}
