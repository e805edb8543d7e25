package checker

import (
	"encoding/json"
	"fmt"

	"locktorture/history"
)

// TransferInvariant judges the workload "transfer": the total of all accounts
// is constant, at every moment. A transfer takes place when the second account
// notes it; until both accounts have become what they noted, the notes count.
// The loss is in transfers by which the total changed; the note says by how much.
type TransferInvariant struct{}

var _ Invariant = TransferInvariant{}

// An account is what one key holds.
type account struct {
	Balance int      `json:"balance"`
	Pending *pending `json:"pending"`
}

// A pending is the note of an account about what it becomes.
type pending struct {
	ID      string `json:"id"`
	Balance int    `json:"balance"`
	First   bool   `json:"first"`
}

// Check replays the accounts in the order in which the store applied the operations.
func (TransferInvariant) Check(applied []history.Op) ([]Anomaly, Loss) {
	accounts := make(map[string]account) // key → account
	last := make(map[string]*history.Op)
	changed := make(map[int64]bool) // leases that changed the total
	loss := Loss{Unit: "transfers"}
	var found []Anomaly
	total, opened := 0, 0
	for i := range applied {
		op := &applied[i]
		if workKey(op) != "account" || op.F == history.Read {
			continue
		}
		var is account
		if err := json.Unmarshal([]byte(op.Value), &is); err != nil {
			found = append(found, torn(op))
			continue
		}
		was := accounts[op.Key]
		accounts[op.Key] = is
		if op.Lease == 0 {
			opened += is.Balance - was.Balance
			total = opened
			continue
		}
		if is.Pending != nil && !is.Pending.First && was.Pending == nil {
			loss.Of++
		}
		if now := sum(accounts); opened > 0 && now != total {
			found = append(found, wrongTotal(op, last[op.Key], now, total, opened))
			changed[op.Lease] = true
			total = now
		}
		last[op.Key] = op
	}
	loss.Lost = min(len(changed), loss.Of)
	if total != opened {
		loss.Note = fmt.Sprintf("the total of %d became %d", opened, total)
	}
	return found, loss
}

// sum is the total of all accounts, of those that are bound to become
// something else what they become.
func sum(accounts map[string]account) int {
	noted := make(map[string]bool) // transfers that the second account has noted
	for _, a := range accounts {
		if a.Pending != nil && !a.Pending.First {
			noted[a.Pending.ID] = true
		}
	}
	total := 0
	for _, a := range accounts {
		if a.Pending != nil && noted[a.Pending.ID] {
			total += a.Pending.Balance
		} else {
			total += a.Balance
		}
	}
	return total
}

func wrongTotal(op, before *history.Op, now, was, opened int) Anomaly {
	sentence := fmt.Sprintf("%s wrote %s = %s at %s (apply %d), and the total of all accounts went from %d to %d (it was %d in the beginning)",
		by(op), op.Key, op.Value, at(op.Time), op.Apply, was, now, opened)
	if before != nil {
		sentence += fmt.Sprintf("; %s had written %s at %s (apply %d)", by(before), before.Value, at(before.Time), before.Apply)
	}
	return Anomaly{Kind: "wrong-total", Lock: op.Lock, Key: op.Key, Time: op.Time, Ops: ops(before, op), Sentence: sentence}
}
