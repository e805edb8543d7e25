package votes

import (
	"fmt"
	"slices"

	"locktorture/checker"
	"locktorture/history"
)

// A witness gathers from a history what the traffic must be asked for to explain some anomalies.
type witness struct {
	wanted map[int64]bool // leases that the anomalies name
	calls  map[int]history.Op
	grants []Grant
	faults Faults
	last   int64 // when the last of the anomalies was seen
}

// mostExplained is how many leases of an anomaly are explained.
const mostExplained = 4

// Witness tells of an anomaly who voted when: for each grant of its leases how each server
// answered each try of the client, and who renewed another's lease by the name of its key. It has
// no lines where one server granted the lock at once and nobody renewed what was another's.
func Witness(a checker.Anomaly, h history.Source, servers []string, traffic Traffic) (lines []string, err error) {
	if traffic == nil {
		return nil, nil
	}
	w := witness{wanted: map[int64]bool{}, calls: map[int]history.Op{}, faults: Faults{Heals: map[int]history.Op{}}}
	for _, op := range a.Ops {
		if op.Lease > 0 && len(w.wanted) < mostExplained {
			w.wanted[op.Lease] = true
		}
		w.last = max(w.last, op.Time)
	}
	if err := h.Each(w.entry); err != nil {
		return nil, err
	}
	named := slices.DeleteFunc(slices.Clone(w.grants), func(g Grant) bool { return g.Answer.Owner() == "" })
	ballots, err := Ask([][]Grant{named}, servers, traffic)
	if err != nil {
		return nil, err
	}
	for _, b := range ballots[0] {
		if tries := b.Tries(w.faults); len(tries) > 0 {
			lines = append(lines, fmt.Sprintf("how c%d got lease %d of %s:", b.Grant.Client, b.Grant.Lease, b.Grant.Lock))
			for _, t := range tries {
				lines = append(lines, "  "+t)
			}
		}
	}
	renewals, err := w.renewals(traffic)
	return append(lines, renewals...), err
}

func (w *witness) entry(op *history.Op) error {
	isAcquire := op.F == history.Acquire || op.F == history.Try
	switch {
	case op.F == history.Heal:
		w.faults.Heals[op.Fault] = *op
	case Matters(op):
		w.faults.Struck = append(w.faults.Struck, *op)
	case isAcquire && op.Type == history.Invoke:
		w.calls[op.Process] = *op
	case isAcquire && op.Type == history.OK && w.wanted[op.Lease] && op.Client > 0:
		w.grants = append(w.grants, Grant{Call: w.calls[op.Process], Answer: *op})
	}
	return nil
}

// renewals asks for all that was said of the locks until the anomaly was seen.
func (w *witness) renewals(traffic Traffic) (lines []string, err error) {
	var asked []Question
	seen := map[string]bool{}
	for _, g := range w.grants {
		if lock := g.Answer.Lock; !seen[lock] {
			seen[lock] = true
			asked = append(asked, Question{To: w.last, Word: lock})
		}
	}
	if len(asked) == 0 {
		return nil, nil
	}
	said, err := traffic(asked)
	if err != nil {
		return nil, err
	}
	for _, messages := range said {
		lines = append(lines, Renewals(messages)...)
	}
	return lines, nil
}
