package workloads

import (
	"context"
	"encoding/json"
	"fmt"
)

// An Account is the value that the workload Transfer keeps in one key.
type Account struct {
	Balance int      `json:"balance"`
	Pending *Pending `json:"pending,omitempty"`
}

// A Pending is the note of an account that is about to change.
type Pending struct {
	ID      string `json:"id"`
	With    string `json:"with"`            // the lock of the other account
	Balance int    `json:"balance"`         // the new balance
	First   bool   `json:"first,omitempty"` // its lock is the first of the two
}

// done returns the account after the change that it has noted.
func (a Account) done() Account { return Account{Balance: a.Pending.Balance} }

// settle executes or reverts the changes noted between two accounts whose locks are both held, and
// returns their new states. It keeps notes that concern a third account.
func settle(ctx context.Context, s Store, first, second string, a, b Account) (Account, Account, error) {
	mine := a.Pending != nil && a.Pending.First && a.Pending.With == second
	theirs := b.Pending != nil && !b.Pending.First && b.Pending.With == first
	both := mine && theirs && a.Pending.ID == b.Pending.ID
	if mine {
		if both {
			a = a.done()
		} else {
			a.Pending = nil // the second note is missing, so the transfer did not take place
		}
		if err := writeAccount(ctx, s, first, a); err != nil {
			return a, b, err
		}
	}
	if theirs { // at the same time as the first, or after it
		b = b.done()
		if err := writeAccount(ctx, s, second, b); err != nil {
			return a, b, err
		}
	}
	return a, b, nil
}

func readAccount(ctx context.Context, s Store, lock string) (Account, error) {
	var a Account
	text, err := s.Read(ctx, AccountKey(lock))
	if err != nil {
		return a, err
	}
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		return a, fmt.Errorf("key %s holds %q, which is no account: %w", AccountKey(lock), text, err)
	}
	return a, nil
}

func writeAccount(ctx context.Context, s Store, lock string, a Account) error {
	text, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return s.Write(ctx, AccountKey(lock), string(text))
}
