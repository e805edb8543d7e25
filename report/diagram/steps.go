package diagram

import (
	"fmt"
	"slices"

	"locktorture/checker"
	"locktorture/history"
	"locktorture/report/words"
)

// A step is one row of a sequence diagram: an arrow between two lifelines,
// or an event on one.
type step struct {
	time    int64
	from    string // lifeline: "c2", "lock stock", "plain store", "node redis-1"
	to      string // the same; equal to from for an event
	label   string
	class   string // ask, ok, bad, fault, heal, quiet, and those below
	lease   int64
	weight  int  // the least are left out first
	witness bool // the checker named it

	on     []string // lifelines of the servers that it is about, where others may be about others
	ballot int      // of an answer: how many were asked
	fault  int      // its number
	begins bool     // the fault is being put in place
	open   bool     // a grant whose lease never declared an end

	overtaken int64 // of such a grant: when another was granted what it excludes; 0: never
}

const maxSteps = 26

// Classes of steps: the validity of a lease is over; the harness asked, and not the client.
const (
	endClass  = "end"
	noteClass = "note"
)

// stepsOf tells an anomaly as steps in the order of their times, and how
// many were left out.
func stepsOf(a checker.Anomaly, e evidence) ([]step, int) {
	var out []step
	named := map[string]bool{}
	for _, op := range a.Ops {
		named[Key(op)] = true
	}
	seen := map[string]bool{}
	told := map[int64]bool{} // leases whose validity has a step
	quick := quickOps(e.ops)
	for _, op := range append(slices.Clone(e.ops), a.Ops...) {
		key := Key(op)
		if seen[key] || quick[key] && !named[key] {
			continue
		}
		seen[key] = true
		if least, _ := op.Validity(); op.F == history.Ask && op.Type == history.OK && least != 0 {
			if told[op.Lease] && !named[key] {
				continue // the first answer and those of the witness will do
			}
			told[op.Lease] = true
		}
		for _, s := range opSteps(op, e) {
			s.witness = named[key]
			if s.witness {
				s.weight = 9
			}
			out = append(out, s)
		}
	}
	for i, s := range out {
		if g := e.leases[s.lease]; g != nil && granted(s) {
			until := g.Until()
			out[i].open, out[i].overtaken = until == 0 || until == history.Never, e.overtaken[s.lease]
		}
	}
	out = append(out, e.validityEnds()...)
	faults := faultSteps(a, e)
	out = append(out, faults...)
	said := len(faults) - min(len(faults), 2*len(a.Faults)) // of single nodes, and their beginnings
	messages := slices.Concat(e.voteSteps(), e.struckSteps(), e.beforeSteps())
	out, said = append(out, messages...), said+len(messages)
	slices.SortStableFunc(out, func(x, y step) int { return int(max(-1, min(1, x.time-y.time))) })
	return thin(out, maxSteps+said)
}

// quickTime is how soon an answer must come for call and answer to be one
// arrow.
const quickTime = 5e6

// quickOps returns the entries that a diagram need not show: the calls of store operations that
// were answered soon, and the answers of releases that succeeded soon.
func quickOps(ops []history.Op) map[string]bool {
	out := map[string]bool{}
	for _, c := range history.Pair(ops) {
		if c.Return == nil || c.Return.Time-c.Invoke.Time > quickTime {
			continue
		}
		switch c.Invoke.F {
		case history.Read, history.Write, history.CAS:
			out[Key(*c.Invoke)] = true
		case history.Release:
			out[Key(*c.Return)] = c.Return.Type == history.OK
		}
	}
	return out
}

// Key tells the entries of a history apart, also where they were read twice.
func Key(op history.Op) string {
	return fmt.Sprintf("%d %d %s %s", op.Time, op.Process, op.Type, op.F)
}

// opSteps returns the arrows of one operation.
func opSteps(op history.Op, e evidence) []step {
	s := step{time: op.Time, from: ClientName(op), to: "lock " + words.Short(op.Lock, 24), lease: op.Lease, class: "ask", weight: 5}
	if op.Type == history.Invoke {
		return invocation(s, op)
	}
	switch op.F {
	case history.Acquire, history.Try:
		s.from, s.to = s.to, s.from
		s.label, s.class, s.weight = GrantLabel(op), AnswerClass(op), 8
		steps := []step{s}
		if g := e.leases[op.Lease]; g != nil && op.Type == history.OK {
			steps = append(steps, step{time: g.Inv.Time, from: s.to, to: s.from, label: string(op.F), class: "ask", lease: op.Lease, weight: 4})
		}
		return steps
	case history.Ask: // the lease answers in the client's own process
		s.to, s.class, s.label, s.weight = s.from, AskClass(op), AskLabel(op), 2
	case history.Renew:
		s.from, s.to = s.to, s.from
		s.class, s.label, s.weight = AnswerClass(op), "renew "+outcomeWord(op), 2
	case history.Release:
		s.from, s.to = s.to, s.from
		s.label, s.class, s.weight = "release "+outcomeWord(op), AnswerClass(op), 3
	case history.Lost:
		s.from, s.to, s.label, s.class = s.to, s.from, "notice: lease lost", "bad"
	case history.Crash:
		s.to, s.label, s.class, s.weight = s.from, "killed", "bad", 7
	case history.Read, history.Write, history.CAS:
		s.to = StoreName(op)
		s.label, s.class, s.weight = accessLabel(op), AnswerClass(op), 3
		if op.Refused == history.ByStore {
			s.weight = 7
		}
	case history.Probe:
		s.from, s.to, s.label = nodeName(op.Nodes()), nodeName(op.Nodes()), "seen: owner "+words.Short(words.List(op.Owners(), ", ", ""), 24)
	case history.Job:
		return jobSteps(s, op)
	default:
		return nil
	}
	return []step{s}
}

// invocation shows a call of its own where the moment of the call matters: a
// release ends the section, a store operation may be started too late.
func invocation(s step, op history.Op) []step {
	switch op.F {
	case history.Release:
		s.label, s.weight = "release", 6
	case history.Read, history.Write, history.CAS:
		s.to, s.label, s.weight, s.class = StoreName(op), string(op.F)+" "+words.Short(op.Key, 24), 1, "quiet"
	default:
		return nil
	}
	return []step{s}
}

// released returns when the release of a lease was called, if it was answered.
func (e evidence) released(lease int64) (at int64, ok bool) {
	g := e.leases[lease]
	if g == nil || g.RelRet == nil || g.RelRet.Type == history.Info {
		return 0, false
	}
	return g.RelCall.Time, true
}

// validityEnds marks where the validity of each lease ended, as the lock declared it last, unless it had been released by then.
func (e evidence) validityEnds() (out []step) {
	for lease, g := range e.leases {
		least := g.Least()
		if at, ok := e.released(lease); ok && at < least || least == 0 || least == history.Never {
			continue
		}
		client := ClientName(*g.Ret)
		out = append(out, step{time: least, from: client, to: client, lease: lease, label: fmt.Sprintf("validity of lease %d ends", lease), class: endClass, weight: 8})
	}
	slices.SortFunc(out, func(a, b step) int { return int(a.lease - b.lease) })
	return out
}

// thin leaves out the steps that matter least until the rest is no more than that.
func thin(steps []step, most int) ([]step, int) {
	dropped := 0
	for weight := 0; len(steps) > most && weight <= 9; weight++ {
		for i := len(steps) - 1; i >= 0 && len(steps) > most; i-- {
			if steps[i].weight <= weight {
				steps = slices.Delete(steps, i, i+1)
				dropped++
			}
		}
	}
	return steps, dropped
}
