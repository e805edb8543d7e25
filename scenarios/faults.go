package scenarios

import (
	"context"
	"errors"

	"locktorture/nemesis"
)

// ErrCannot reports that these servers do not support a fault of the script.
var ErrCannot = errors.New("cannot suffer that here")

// A Fault is a fault of a script. It is healed at the end of the script, or before.
type Fault struct {
	stage  *Stage
	kind   nemesis.Declared
	step   nemesis.Step
	struck bool // the fault has struck and is recorded
	healed bool
	heal   func(ctx context.Context) error // nil if there is nothing to undo
	links  []*link
}

// strike records a fault whose effect was observed.
func (f *Fault) strike(seen string) {
	f.step = f.stage.script.Struck(f.kind, f.step, seen)
	f.struck = true
}

// Heal undoes the fault and returns when that was observed.
func (f *Fault) Heal() {
	if f == nil {
		return
	}
	f.stage.step("heal "+f.kind.Traits().Name, f.mend)
}

func (f *Fault) mend(ctx context.Context) error {
	if f.healed {
		return nil
	}
	f.healed = true
	var err error
	if f.heal != nil {
		err = f.heal(ctx)
	}
	if f.struck && err == nil {
		f.stage.script.Healed(f.step)
	}
	return err
}

// begin starts a fault that will be healed.
func (s *Stage) begin(kind nemesis.Declared, step nemesis.Step, heal func(context.Context) error) *Fault {
	f := &Fault{stage: s, kind: kind, step: step, heal: heal}
	s.later(f.mend)
	return f
}

// Restart starts killed nodes again, with or without their data, and returns when they answer.
func (f *Fault) Restart(empty bool) {
	if f == nil {
		return
	}
	f.heal = func(ctx context.Context) error { return f.stage.Servers.start(ctx, f.step.Nodes, empty) }
	f.Heal()
}
