package workloads

import (
	"context"
	"math/rand/v2"

	"locktorture/internal/wire"
)

// A Transfer moves money between two accounts under two locks. Every section takes them in the
// order of the list of locks, so that no two sections wait for each other. The key of a lock:
//
//	<lock>/account  an Account as JSON
//
// The total is constant. A transfer has four writes: both accounts note their new balances (first,
// then second), and then adopt them (in the same order). A section that was cut leaves notes, and
// the next section that holds the same two locks continues from them: with both notes, or with the
// first account changed, the transfer took place; with a note of the first account alone, it did
// not.
type Transfer struct{ Config }

var _ Workload = Transfer{}

// AccountKey returns the key of an account.
func AccountKey(lock string) string { return wire.Key(lock, "account") }

// OpeningBalance is the initial balance of every account.
const OpeningBalance = 1000

// accounts returns the names of the locks, at least two.
func (w Transfer) accounts() []string {
	if len(w.Locks) < 2 {
		return []string{"account-1", "account-2", "account-3"}
	}
	return w.Locks
}

// Init opens all accounts.
func (w Transfer) Init(ctx context.Context, s Store) error {
	for _, lock := range w.accounts() {
		if err := writeAccount(ctx, s, lock, Account{Balance: OpeningBalance}); err != nil {
			return err
		}
	}
	return nil
}

// Next draws the two accounts, the times, the amount and its direction.
func (w Transfer) Next(r *rand.Rand, process int) Section {
	names := w.accounts()
	i, j := pick(r, len(names), w.Hot), r.IntN(len(names)-1)
	if j >= i {
		j++
	}
	section := w.times(r)
	amount, id := 1+r.IntN(100), tag(r, process)
	if i > j {
		i, j, amount = j, i, -amount
	}
	first, second := names[i], names[j]
	section.Locks = []string{first, second}
	section.Run = func(ctx context.Context, s Store) error {
		a, err := readAccount(ctx, s, first)
		if err != nil {
			return err
		}
		b, err := readAccount(ctx, s, second)
		if err != nil {
			return err
		}
		if a, b, err = settle(ctx, s, first, second, a, b); err != nil {
			return err
		}
		if a.Pending != nil || b.Pending != nil {
			return nil // the note belongs to a transfer with a third account, whose lock is not held here
		}
		a.Pending = &Pending{ID: id, With: second, Balance: a.Balance - amount, First: true}
		b.Pending = &Pending{ID: id, With: first, Balance: b.Balance + amount}
		if err := writeAccount(ctx, s, first, a); err != nil {
			return err
		}
		if err := writeAccount(ctx, s, second, b); err != nil {
			return err
		}
		_, _, err = settle(ctx, s, first, second, a, b)
		return err
	}
	return section
}
