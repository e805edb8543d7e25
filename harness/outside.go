package harness

import "locktorture/nemesis"

// A Faults records the faults that Config.Outside injects.
type Faults struct{ run *Run }

// Clients returns the clients of the run; client number n is at n-1.
func (f *Faults) Clients() []nemesis.Client { return f.run.cfg.World.Clients }

// Declare stores the traits of a kind of fault. It must precede the first fault of that kind,
// unless the kind is in Config.Kinds.
func (f *Faults) Declare(fault nemesis.Declared) { f.run.declare(fault.Traits().Name, fault) }

// Struck records a fault whose effect was observed; seen describes the effect.
func (f *Faults) Struck(s nemesis.Step, seen string) { f.run.faultStruck(s, seen) }

// NotStruck records a fault that had no target, with the reason.
func (f *Faults) NotStruck(s nemesis.Step, err error) { f.run.faultMissed(s, err) }

// Healed records the end of a fault. A client that the fault stopped goes on.
func (f *Faults) Healed(s nemesis.Step) { f.run.faultHealed(s) }

// Began stores the start of a fault that disturbs the system before its effect is observed.
func (f *Faults) Began(s nemesis.Step) { f.run.faultBegan(s) }
