package harness

import "locktorture/nemesis"

// Faults takes down what was done to a run from outside of it (Config.Outside).
type Faults struct{ run *Run }

// Declare notes what a kind of fault says of itself. It comes before the first of that kind;
// those of Config.Kinds are declared.
func (f *Faults) Declare(fault nemesis.Declared) { f.run.declare(fault.Traits().Name, fault) }

// Struck records a fault whose effect was seen, and what that was.
func (f *Faults) Struck(s nemesis.Step, seen string) { f.run.faultStruck(s, seen) }

// NotStruck records a fault that found nobody to strike, and why.
func (f *Faults) NotStruck(s nemesis.Step, err error) { f.run.faultMissed(s, err) }

// Healed records the end of a fault, and lets a client go on that it had stopped.
func (f *Faults) Healed(s nemesis.Step) { f.run.faultHealed(s) }

// Began notes that a fault is about to disturb what is seen later.
func (f *Faults) Began(s nemesis.Step) { f.run.faultBegan(s) }
