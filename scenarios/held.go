package scenarios

import (
	"context"
	"fmt"
	"strings"
)

// UntilHeld waits until every one of the links holds data back.
func (f *Fault) UntilHeld() {
	if f == nil {
		return
	}
	f.stage.Until("messages are held back", 0, func(context.Context) (bool, error) {
		for _, l := range f.links {
			if l.Held() == 0 {
				return false, nil
			}
		}
		return true, nil
	})
	if !f.stage.over() {
		f.strike(fmt.Sprintf("%s of c%d and %s are held back", f.step.Direction, f.step.Clients[0], strings.Join(f.stage.Servers.names(f.step.Nodes), ", ")))
	}
}

// LetGo is Heal for held data, which is delivered in order.
func (f *Fault) LetGo() { f.Heal() }

// UntilSomeHeld waits until one of the links holds back more than this number of bytes: a client
// uses one of several servers, and a heartbeat is short.
func (f *Fault) UntilSomeHeld(bytes int) {
	if f == nil {
		return
	}
	f.stage.Until("a message is held back", 0, func(context.Context) (bool, error) {
		for _, l := range f.links {
			if l.Held() > bytes {
				return true, nil
			}
		}
		return false, nil
	})
	if !f.stage.over() {
		f.strike(fmt.Sprintf("%s of c%d and one of %s are held back", f.step.Direction, f.step.Clients[0], strings.Join(f.stage.Servers.names(f.step.Nodes), ", ")))
	}
}

// LetGoAlone delivers the data that this fault holds back, and keeps the other faults of the same
// links.
func (f *Fault) LetGoAlone() {
	if f == nil {
		return
	}
	f.heal = func(context.Context) error {
		for _, l := range f.links {
			if err := l.LetGo(f.step.Direction); err != nil {
				return err
			}
		}
		return nil
	}
	f.Heal()
}
