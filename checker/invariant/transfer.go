package invariant

import (
	"encoding/json"
	"fmt"

	"locktorture/checker"
	"locktorture/history"
)

// Transfer judges the workload "transfer": the total of all accounts
// is constant, at every moment. A transfer takes place when the second account notes it. Until
// both accounts have the balances that they noted, the noted balances count. The loss counts
// transfers by which the total changed. The loss's note says what the total became.
type Transfer struct{}

var _ checker.Invariant = Transfer{}

// An account is what one key holds.
type account struct {
	Balance int      `json:"balance"`
	Pending *pending `json:"pending"`
}

// A pending is the note of an account about the balance that it will have.
type pending struct {
	ID      string `json:"id"`
	Balance int    `json:"balance"`
	First   bool   `json:"first"`
}

// A ledger holds the accounts while they are replayed.
type ledger struct {
	accounts      map[string]account // by key
	last          map[string]*history.Op
	changed       map[int64]bool // leases that changed the total
	total, opened int
	transfers     int
}

// Begin implements checker.Invariant.
func (Transfer) Begin() checker.Replay {
	return &ledger{accounts: map[string]account{}, last: map[string]*history.Op{}, changed: map[int64]bool{}}
}

// Apply implements checker.Replay.
func (r *ledger) Apply(op *history.Op) []checker.Anomaly {
	if workKey(op) != "account" || op.F == history.Read {
		return nil
	}
	var is account
	if err := json.Unmarshal([]byte(op.Value), &is); err != nil || !checker.Sane(is.Balance) || is.Pending != nil && !checker.Sane(is.Pending.Balance) {
		return []checker.Anomaly{torn(op)}
	}
	was := r.accounts[op.Key]
	r.accounts[op.Key] = is
	if op.Lease == 0 {
		r.opened += is.Balance - was.Balance
		r.total = r.opened
		return nil
	}
	if is.Pending != nil && !is.Pending.First && was.Pending == nil {
		r.transfers++
	}
	var found []checker.Anomaly
	if now := sum(r.accounts); r.opened > 0 && now != r.total {
		found = append(found, wrongTotal(op, r.last[op.Key], now, r.total, r.opened))
		r.changed[op.Lease] = true
		r.total = now
	}
	r.last[op.Key] = op
	return found
}

// Loss implements checker.Replay.
func (r *ledger) Loss() checker.Loss {
	loss := checker.Loss{Lost: min(len(r.changed), r.transfers), Of: r.transfers, Unit: "transfers"}
	if r.total != r.opened {
		loss.Note = fmt.Sprintf("the total of %d became %d", r.opened, r.total)
	}
	return loss
}

// sum returns the total of all accounts. An account that is bound to change counts with the
// balance that it noted.
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

func wrongTotal(op, before *history.Op, now, was, opened int) checker.Anomaly {
	sentence := fmt.Sprintf("%s wrote %s = %s at %s (apply %d), and the total of all accounts went from %d to %d (at the beginning it was %d)",
		checker.By(op), op.Key, op.Value, checker.At(op.Time), op.Apply, was, now, opened)
	if before != nil {
		sentence += fmt.Sprintf("; %s had written %s at %s (apply %d)", checker.By(before), before.Value, checker.At(before.Time), before.Apply)
	}
	return checker.Anomaly{Kind: "wrong-total", Lock: op.Lock, Key: op.Key, Time: op.Time, Ops: checker.Witness(before, op), Sentence: sentence}
}
