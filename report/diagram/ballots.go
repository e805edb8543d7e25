package diagram

import (
	"errors"
	"slices"
	"strings"

	"locktorture/history"
	"locktorture/report/votes"
	"locktorture/report/words"
)

// Trace adds to the drawings what clients and servers said about the grants of their
// witnesses; servers are all of the run. It comes after the last entry of the history. Servers
// are asked in the name of an owner: of a grant whose owner value is not known nothing is
// added.
func (s *Set) Trace(servers []string, traffic votes.Traffic) error {
	var groups [][]votes.Grant
	for _, e := range s.gather.found {
		groups = append(groups, e.grants())
	}
	ballots, err := votes.Ask(groups, servers, traffic)
	if err != nil {
		return err
	}
	if err := errors.Join(s.struckMessages(traffic), s.jobMessages(traffic)); err != nil {
		return err
	}
	for i := range ballots {
		s.gather.found[i].votes = slices.DeleteFunc(ballots[i], func(b votes.Ballot) bool { return len(b.Answers) == 0 })
	}
	return nil
}

// grants returns the grants of the witness's leases whose owner value is known.
func (e evidence) grants() (list []votes.Grant) {
	for _, op := range e.ops {
		if isGrant := op.F == history.Acquire || op.F == history.Try; isGrant && op.Type == history.OK && op.Owner() != "" && op.Client > 0 {
			list = append(list, votes.Grant{Call: *e.leases[op.Lease].Inv, Answer: op})
		}
	}
	return list
}

// voteSteps returns the answers of the servers, each an arrow, what they come to for the
// client, and what is left of them when the next is granted the lock.
func (e evidence) voteSteps() (out []step) {
	faults := votes.Faults{Struck: e.blows, Heals: e.heals}
	for i, b := range e.votes {
		out = append(out, answerSteps(b)...)
		client := ClientName(b.Grant)
		s := step{time: b.Grant.Time, from: client, to: client, lease: b.Grant.Lease, weight: messageWeight, class: voted}
		if next, ok := e.next(i); ok {
			left := s
			left.time = next.Grant.Time
			if left.label = b.Left(next, faults, e.looks(next.Grant.Time)); left.label != "" {
				out = append(out, left)
			}
		}
		if s.label = b.Words(faults); len(b.Answers) > 1 {
			out = append(out, s)
		}
		if s.label = b.Borrowed(); s.label != "" {
			out = append(out, s)
		}
	}
	return out
}

// next returns the ballot of the next grant of the same lock, if the lease of the i-th had not
// been given back by then.
func (e evidence) next(i int) (votes.Ballot, bool) {
	b := e.votes[i]
	at, over := e.released(b.Grant.Lease)
	for _, n := range e.votes {
		if n.Grant.Lock == b.Grant.Lock && n.Grant.Time > b.Grant.Time && n.Grant.Client != b.Grant.Client {
			return n, !over || at > n.Grant.Time
		}
	}
	return votes.Ballot{}, false
}

// looks returns the newest of each server up to a time.
func (e evidence) looks(until int64) (list []history.Op) {
	for _, op := range e.sights {
		if op.Time <= until {
			list = append(list, op)
		}
	}
	return list
}

func answerSteps(b votes.Ballot) (out []step) {
	client := ClientName(b.Grant)
	for _, v := range b.Answers {
		if !v.Asked() {
			continue
		}
		node := nodeName([]string{v.Node})
		request := words.Short(strings.NewReplacer(b.Grant.Owner(), "…", votes.OwnerWord(b.Grant), "…").Replace(v.Request.Text), 48)
		s := step{lease: b.Grant.Lease, weight: messageWeight, class: voteClass(v, b.Grant), on: []string{node}, ballot: len(b.Answers)}
		if v.Answered() {
			s.time, s.from, s.to, s.label = v.Reply.Came, node, client, v.Heard(b.Grant)+" to "+request
		} else {
			s.time, s.from, s.to, s.label = v.Request.Came, client, node, request+": "+v.Fate(b.Grant)
		}
		out = append(out, s)
	}
	return out
}

// voted is the class of a step that sums up what servers answered.
const voted = "votes"

// messageWeight is the weight of a message. It is high because a drawing with messages is about
// them.
const messageWeight = 9

// voteClass returns the CSS class of a vote: yes, no, or the class of a plain call if the
// meaning of the answer is unknown.
func voteClass(v votes.Answer, grant history.Op) string {
	switch yes, known := v.Counts(grant); {
	case !known:
		return "ask"
	case yes:
		return "ok"
	}
	return "bad"
}
