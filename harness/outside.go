package harness

import "locktorture/nemesis"

// A Faults records the faults that Config.Outside injects into a run.
type Faults struct{ run *Run }

// Declare stores the traits of a kind of fault. It must precede the first fault of that kind,
// except for Config.Kinds, which are declared already.
func (f *Faults) Declare(fault nemesis.Declared) { f.run.declare(fault.Traits().Name, fault) }

// Struck records a fault whose effect was seen; seen describes the effect.
func (f *Faults) Struck(s nemesis.Step, seen string) { f.run.faultStruck(s, seen) }

// NotStruck records a fault that found no target, with the reason.
func (f *Faults) NotStruck(s nemesis.Step, err error) { f.run.faultMissed(s, err) }

// Healed records the end of a fault. A client that the fault stopped goes on.
func (f *Faults) Healed(s nemesis.Step) { f.run.faultHealed(s) }

// Began records that a fault starts to disturb the system before its effect is seen.
func (f *Faults) Began(s nemesis.Step) { f.run.faultBegan(s) }
