package harness

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"locktorture/history"
	"locktorture/nemesis"
)

// A Faults records the faults of a run. Config.Outside gets it for the faults that it injects.
type Faults struct {
	run *Run

	mu       sync.Mutex
	declared map[string]*history.FaultTraits // kind of a fault → its traits
	began    map[int]int64                   // number of a fault → time of its start
	inPlace  map[int]string
	lastHeal time.Time
	struck   int
	outages  int
}

func newFaults(r *Run) *Faults {
	return &Faults{run: r, declared: map[string]*history.FaultTraits{}, began: map[int]int64{}, inPlace: map[int]string{}}
}

// Clients returns the clients of the run; client number n is at n-1.
func (f *Faults) Clients() []nemesis.Client { return f.run.cfg.World.Clients }

// Declare stores the traits of a kind of fault. It must precede the first fault of that kind,
// unless the kind is in Config.Kinds.
func (f *Faults) Declare(fault nemesis.Declared) { f.declare(fault.Traits().Name, fault) }

// declare stores the traits that a kind of fault declares, for the entries of its faults.
func (f *Faults) declare(kind string, n nemesis.Declared) {
	t := n.Traits()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.declared[kind] = &history.FaultTraits{
		Effect: t.Effect, TakesLocks: t.TakesLocks, LeavesCopies: t.LeavesCopies, UpsetsAll: t.UpsetsAll,
		SeenLate: t.SeenLate, Ahead: t.Ahead,
	}
}

// Began stores the start of a fault that disturbs the system before its effect is observed.
func (f *Faults) Began(s nemesis.Step) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.began[s.N] = f.run.cfg.Now()
}

// Struck records a fault whose effect was observed; seen describes the effect.
func (f *Faults) Struck(s nemesis.Step, seen string) {
	f.record(s, history.Fault, seen)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.struck++
	f.inPlace[s.N] = s.Fault
}

// Healed records the end of a fault. It lets a client go on that the fault stopped, unless
// another fault still holds the client's gate.
func (f *Faults) Healed(s nemesis.Step) {
	f.record(s, history.Heal, "")
	f.mu.Lock()
	traits := f.declared[s.Fault]
	delete(f.inPlace, s.N)
	f.lastHeal = time.Now()
	f.mu.Unlock()
	if traits == nil || traits.Effect != history.Stopped {
		return
	}
	for _, n := range s.Clients {
		if n <= len(f.run.clients) { // the clients of a script are handled by the script
			f.run.clients[n-1].target.goOn()
		}
	}
}

// NotStruck records a fault that had no target, with the reason. It does not count as a fault of
// the run.
func (f *Faults) NotStruck(s nemesis.Step, err error) {
	op := f.op(s)
	op.F, op.Type, op.Error = history.Fault, history.Fail, err.Error()
	f.run.record(op)
}

// outage records a fault that the harness did not inject.
func (f *Faults) outage(s *nemesis.Step, began int64, why string) {
	f.mu.Lock()
	f.outages++
	s.N = outageNumbers + f.outages
	f.began[s.N] = began
	f.declared[Outage] = &history.FaultTraits{Effect: history.Down, TakesLocks: true, Unplanned: true}
	f.mu.Unlock()
	f.record(*s, history.Fault, why)
	f.mu.Lock()
	f.inPlace[s.N] = Outage
	f.mu.Unlock()
}

// calm returns for how long no fault has been in place. Outages in the tail do not count, because
// they may last for ever.
func (f *Faults) calm() time.Duration {
	tail := f.run.tail.hasBegun()
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.inPlace) > 0 && !tail {
		return 0
	}
	return time.Since(f.lastHeal)
}

// soFar returns the names of the faults in place, and the number of faults that struck.
func (f *Faults) soFar() (inPlace []string, struck int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, name := range f.inPlace {
		inPlace = append(inPlace, name)
	}
	slices.Sort(inPlace)
	return inPlace, f.struck
}

func (f *Faults) record(s nemesis.Step, as history.F, seen string) {
	op := f.op(s)
	op.F, op.Type, op.Value = as, history.Info, seen
	f.run.record(op)
}

func (f *Faults) op(s nemesis.Step) history.Op {
	op := history.Op{Process: history.Nemesis, Key: s.Fault, Fault: s.N}
	f.mu.Lock()
	op.SetBegan(f.began[s.N])
	op.Traits = f.declared[s.Fault]
	f.mu.Unlock()
	if op.Traits != nil && s.Rate > 0 && s.Rate != 1 {
		own := *op.Traits
		own.Rate, op.Traits = s.Rate, &own
	}
	if len(s.Clients) == 1 {
		op.Client = s.Clients[0]
	}
	op.Node = struckNames(f.run.cfg.World, s)
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
