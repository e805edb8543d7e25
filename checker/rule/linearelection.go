package rule

import (
	"locktorture/checker/linear"
	"locktorture/timeline"
)

// electionModel is the model that knows terms and observers.
const electionModel = "election"

// inElection returns the function that corresponds, in an election, to a function of a lock.
func inElection(f linear.F) linear.F {
	switch f {
	case linear.Acquire:
		return linear.Campaign
	case linear.Release:
		return linear.Resign
	}
	return f
}

// withdrawn is the first process number of candidates that gave up. No real process has so great a
// number.
const withdrawn = 1 << 40

// campaign gives the latest operation, an acquire, the value of its candidate. A candidate that
// gave up may have led for a moment, and may have been seen then. So it counts as an operation
// that was never answered, of a process of its own. The model does not limit how long it can
// be seen; the rule leftover does.
func (t *translation) campaign(w *timeline.Call) {
	if !t.election {
		return
	}
	op := &t.list[len(t.list)-1]
	op.Value = w.Inv.Candidate()
	if op.Status == linear.Refused {
		op.Status, op.Return, op.Process = linear.Pending, 0, withdrawn+w.Line
	}
}

// resignation makes the latest operation, a release, end the leadership when it returns. A
// success does not show that the leadership lasted until then, because some services do not
// check whether there was anything to resign from.
func (t *translation) resignation() {
	if !t.election {
		return
	}
	if op := &t.list[len(t.list)-1]; op.Status == linear.OK {
		op.Status = linear.Refused
	}
}

// observations adds what observers saw. The answer that nobody leads becomes a refusal.
func (t *translation) observations(list []*timeline.Observation) {
	for _, o := range list {
		t.add(linear.Observe, o.Inv.Process, o.Term(), o.Inv, o.Ret, o.Line)
		op := &t.list[len(t.list)-1]
		if op.Value = o.Leader(); op.Value == "" {
			op.Status = linear.Refused
		}
	}
}
