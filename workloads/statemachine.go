package workloads

import (
	"context"
	"fmt"
	"math/rand/v2"

	"locktorture/internal/wire"
)

// The states of an order, from the first to the last.
const (
	Created = "created"
	Paid    = "paid"
	Shipped = "shipped"
	Done    = "done"
)

// A StateMachine moves an order through its states, one step in each section, each step once. After
// the last step it makes the next order. The keys of a lock:
//
//	<lock>/current     number of the current order, from 1
//	<lock>/order/<n>   created → paid → shipped → done
//
// A new order is written before it becomes the current one, so a section that was cut in between is
// repeated: created over created is the only step that may repeat.
type StateMachine struct{ Config }

var _ Workload = StateMachine{}

// CurrentKey returns the key with the number of the current order, or of the current request.
func CurrentKey(lock string) string { return wire.Key(lock, "current") }

// StateKey returns the key with the state of an order.
func StateKey(lock string, order int) string { return wire.Key(lock, fmt.Sprintf("order/%d", order)) }

// NextState returns the state after state, or "" if there is none.
func NextState(state string) string {
	switch state {
	case Created:
		return Paid
	case Paid:
		return Shipped
	case Shipped:
		return Done
	}
	return ""
}

// Init makes order 1 of every lock.
func (m StateMachine) Init(ctx context.Context, s Store) error {
	for _, lock := range m.locks("statemachine") {
		if err := create(ctx, s, lock, 1); err != nil {
			return err
		}
	}
	return nil
}

// Next draws the lock and the time that the work takes.
func (m StateMachine) Next(r *rand.Rand, _ int) Section {
	lock, section := m.section(r, "statemachine")
	section.Run = func(ctx context.Context, s Store) error {
		n, err := readInt(ctx, s, CurrentKey(lock))
		if err != nil {
			return err
		}
		key := StateKey(lock, n)
		state, err := s.Read(ctx, key)
		if err != nil {
			return err
		}
		if state == Done {
			return create(ctx, s, lock, n+1)
		}
		next := NextState(state)
		if next == "" {
			return fmt.Errorf("key %s holds %q, which is no state of an order", key, state)
		}
		return s.Write(ctx, key, next)
	}
	return section
}

// create makes an order, and then makes it the current one.
func create(ctx context.Context, s Store, lock string, order int) error {
	if err := s.Write(ctx, StateKey(lock, order), Created); err != nil {
		return err
	}
	return writeInt(ctx, s, CurrentKey(lock), order)
}
