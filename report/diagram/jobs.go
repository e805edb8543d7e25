package diagram

import (
	"fmt"
	"slices"

	"locktorture/history"
	"locktorture/report/votes"
	"locktorture/report/words"
)

// jobSteps returns what a replica was seen to do in a run of a job: messages to and from a server
// where they passed a link, else events of the replica.
func jobSteps(s step, op history.Op) []step {
	what := words.Short(op.Lock, 24)
	if op.Key != "" {
		what += " " + words.Short(op.Key, 24)
	}
	s.to, s.class, s.weight = s.from, "ok", 3
	server := ""
	if !slices.Contains([]string{"", "event", "line", "span", "while"}, op.Way()) {
		server = nodeName([]string{op.Way()})
	}
	switch op.Mode {
	case history.JobAsked:
		s.from, s.to, s.label, s.class, s.weight = "load", "load", "asks for "+what, "ask", 4
	case history.JobBegin:
		s.label, s.weight = fmt.Sprintf("begins %s (run %d)", what, op.Lease), 8
	case history.JobTry:
		s.label, s.class = "begins the effect of "+what, "ask"
		if server != "" {
			s.to, s.label = server, what
		}
	case history.JobEffect:
		s.label = "carries out " + what
		switch {
		case op.Way() == "while":
			s.label = "says yes to " + what
		case server != "":
			s.from, s.label = server, "done: "+what
		}
		if op.Refused == history.ByStore {
			s.class, s.label = "bad", "refused: "+what
		}
	case history.JobLost:
		s.class, s.label = "bad", "lost on its way: "+what
	case history.JobEnd:
		s.label, s.weight = fmt.Sprintf("ends %s (run %d)", what, op.Lease), 7
	default:
		return nil
	}
	return []step{s}
}

// The messages that are drawn before each entry of a witness: so many, none older.
const (
	mostBefore  = 3
	longestPast = int64(2e9)
)

// jobMessages finds the last messages of a replica before it did what a witness names.
func (s *Set) jobMessages(traffic votes.Traffic) error {
	var questions []votes.Question
	var of []int // drawings
	for i, a := range s.anomalies {
		for _, op := range a.Ops {
			if op.F == history.Job && op.Client > 0 {
				questions = append(questions, votes.Question{Client: op.Client, From: op.Time - longestPast, To: op.Time})
				of = append(of, i)
			}
		}
	}
	if len(questions) == 0 || traffic == nil {
		return nil
	}
	answers, err := traffic(questions)
	if err != nil {
		return err
	}
	for q, messages := range answers {
		e := &s.gather.found[of[q]]
		for _, m := range messages[max(0, len(messages)-mostBefore):] {
			if !slices.Contains(e.before, m) {
				e.before = append(e.before, m)
			}
		}
	}
	return nil
}

// beforeSteps returns the messages between replicas and servers that led to what a witness names.
func (e evidence) beforeSteps() (out []step) {
	for _, m := range e.before {
		node := nodeName([]string{m.Node})
		s := step{time: m.Came, from: clientName(m.Client), to: node, class: "ask", weight: messageWeight, label: withoutOwners(m.Text)}
		if m.Reply {
			s.from, s.to, s.class, s.label = node, s.from, "ok", withoutOwners(m.Text)
		}
		if m.Left == 0 {
			s.class, s.label = "bad", s.label+", lost on its way"
		}
		out = append(out, s)
	}
	return out
}
