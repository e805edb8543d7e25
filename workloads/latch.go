package workloads

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
)

// ErrUnanswered reports that the outcome of a call of a latch is unknown. The client continues
// under another process number, and may repeat the call.
var ErrUnanswered = errors.New("no answer")

// A Latch is one of the latches of a lock, each of which opens once.
type Latch struct {
	Lock  string
	Round int // from 1
	Count int // parties
}

// Name returns the name of the latch, such as "gate.17".
func (l Latch) Name() string { return l.Lock + "." + strconv.Itoa(l.Round) }

// A Latcher is a Store for a client of latches. See locks.Latch.
type Latcher interface {
	SetCount(ctx context.Context, l Latch) error
	CountDown(ctx context.Context, l Latch, party string) error
	// Await returns ErrGone if the client did not pass.
	Await(ctx context.Context, l Latch) error
}

// retries is the largest number of calls that again makes in a row, the first included.
const retries = 3

// rounds lets clients meet at one latch after another. Every client takes part in every round:
// the parties of the round do a part and count down, and all clients wait until the latch is
// open:
//
//	<lock>/open               1 as soon as the first latch is there
//	<lock>/part/<round>/<n>   what the n-th party of a round did, before it counted down
//
// The first party of a round makes the latch of the next one before it counts down, so a
// client that has passed one latch finds the next. A client's progress is kept from one
// process to the next, as a supervisor would keep it; a step without an answer is repeated.
type rounds struct {
	Config
	def     string
	parties int
	at      []place // by client
}

// A place is the progress of a client in its rounds.
type place struct {
	round int // from 0; the latch belongs to round+1
	step  int
	found bool // the first latch exists
}

func newRounds(c Config, def string, parties int) rounds {
	n := max(c.Clients, 1)
	if c.Single {
		parties = 1
	}
	return rounds{c, def, min(parties, n), make([]place, n)}
}

// Init does nothing, because the keys are written during the run.
func (w rounds) Init(context.Context, Store) error { return nil }

func (w rounds) latch(round int) Latch {
	return Latch{w.locks(w.def)[0], round + 1, w.parties}
}

// party returns the position of a client among the parties of a round, counted from 0. A client
// whose position is at least parties only waits.
func (w rounds) party(client, round int) int {
	n := len(w.at)
	return (client - round%n + n) % n
}

// PartKey returns the key with the part of a party in a round. Both count from 1.
func PartKey(lock string, round, party int) string {
	return fmt.Sprintf("%s/part/%d/%d", lock, round, party)
}

func openKey(lock string) string { return lock + "/open" }

// next returns a section in which a client does the next steps of its round. reads selects the
// parties that read all parts of the round once its latch is open.
func (w rounds) next(r *rand.Rand, process int, reads func(party int) bool) Section {
	s := w.times(r)
	s.Locks, s.Unheld = w.locks(w.def)[:1], true
	client := process % len(w.at)
	at := &w.at[client]
	s.Run = func(ctx context.Context, store Store) error {
		l, party := w.latch(at.round), w.party(client, at.round)
		if ok, err := w.begun(ctx, store, at, client); !ok || err != nil {
			return err
		}
		if party < w.parties && at.step < len(partSteps) {
			for _, step := range partSteps[at.step:] {
				if err := step(w, ctx, store, l, party); err != nil {
					return err
				}
				at.step++
			}
		}
		if err := latcher(store).Await(ctx, l); err != nil {
			return err
		}
		if reads(party) {
			for n := range w.parties {
				if _, err := store.Read(ctx, PartKey(l.Lock, l.Round, n+1)); err != nil {
					return err
				}
			}
		}
		at.round, at.step = at.round+1, 0
		return nil
	}
	return s
}

// begun reports whether the first latch exists. The first client makes it.
func (w rounds) begun(ctx context.Context, s Store, at *place, client int) (bool, error) {
	l := w.latch(0)
	if at.found {
		return true, nil
	}
	if client == 0 {
		if err := again(func() error { return latcher(s).SetCount(ctx, l) }); err != nil {
			return false, err
		}
		if err := s.Write(ctx, openKey(l.Lock), "1"); err != nil {
			return false, err
		}
	}
	v, err := s.Read(ctx, openKey(l.Lock))
	at.found = v != ""
	return at.found, err
}

// partSteps returns the steps of a party in a round, in order. Each may be repeated.
var partSteps = [...]func(rounds, context.Context, Store, Latch, int) error{
	func(w rounds, ctx context.Context, s Store, l Latch, party int) error {
		if party != 0 {
			return nil
		}
		return again(func() error { return latcher(s).SetCount(ctx, w.latch(l.Round)) })
	},
	func(_ rounds, ctx context.Context, s Store, l Latch, party int) error {
		if _, err := s.Read(ctx, openKey(l.Lock)); err != nil { // the work is between an observation and the action that depends on it
			return err
		}
		return s.Write(ctx, PartKey(l.Lock, l.Round, party+1), strconv.Itoa(party+1))
	},
	func(_ rounds, ctx context.Context, s Store, l Latch, party int) error {
		return again(func() error { return latcher(s).CountDown(ctx, l, strconv.Itoa(party+1)) })
	},
}

// again repeats a call that has no answer.
func again(call func() error) (err error) {
	for range retries {
		if err = call(); !errors.Is(err, ErrUnanswered) {
			break
		}
	}
	return err
}

// latcher returns the store as a Latcher. For a store without latches, all latches are open.
func latcher(s Store) Latcher {
	if l, ok := s.(Latcher); ok {
		return l
	}
	return opened{}
}

type opened struct{}

func (opened) SetCount(context.Context, Latch) error          { return nil }
func (opened) CountDown(context.Context, Latch, string) error { return nil }
func (opened) Await(context.Context, Latch) error             { return nil }
