package diagram

import (
	"slices"
	"strings"

	"locktorture/history"
	"locktorture/report/votes"
	"locktorture/report/words"
)

// justBefore is how long before a fault is told the message came that it holds back or loses.
const justBefore = 1e6 // ns

// struckMessages finds the messages that the faults of each drawing kept back or lost: of the
// witness's lock, and of the client that the fault names.
func (s *Set) struckMessages(traffic votes.Traffic) error {
	var questions []votes.Question
	var of []int // drawings
	for i, a := range s.anomalies {
		for _, f := range a.Faults {
			began := f.Time
			if at, ok := f.Began(); ok {
				began = at
			}
			if lock := lockOf(a.Ops); f.Client > 0 && lock != "" {
				questions = append(questions, votes.Question{Client: f.Client, From: began - justBefore, To: f.Time, Word: lock})
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
		at := slices.IndexFunc(messages, disturbed)
		if at >= 0 {
			e := &s.gather.found[of[q]]
			e.struck = append(e.struck, messages[at])
		}
	}
	return nil
}

func lockOf(ops []history.Op) string {
	for _, op := range ops {
		if op.Lock != "" {
			return op.Lock
		}
	}
	return ""
}

// disturbed reports whether a message was kept back or lost.
func disturbed(m votes.Message) bool { return m.Left == 0 || m.Left-m.Came >= votes.KeptBack }

// struckSteps returns the messages that faults kept back or lost, but for those that are drawn
// as answers.
func (e evidence) struckSteps() (out []step) {
	for _, m := range e.struck {
		drawn := slices.ContainsFunc(e.votes, func(b votes.Ballot) bool {
			return slices.ContainsFunc(b.Answers, func(v votes.Answer) bool {
				return v.Node == m.Node && (v.Request.Came == m.Came || v.Reply.Came == m.Came)
			})
		})
		if drawn {
			continue
		}
		client, node := clientName(m.Client), nodeName([]string{m.Node})
		s := step{time: m.Came, from: client, to: node, class: "bad", weight: messageWeight, label: withoutOwners(m.Text), on: []string{node}}
		if m.Reply {
			s.from, s.to, s.label = node, client, words.Short(m.Text, 24)+" to "+withoutOwners(m.Of)
		}
		if m.Left == 0 {
			s.label += ", lost on its way"
		} else {
			s.label += ", kept back for " + words.Span(m.Left-m.Came)
		}
		out = append(out, s)
	}
	return out
}

// withoutOwners returns a request with its long words cut short.
func withoutOwners(request string) string {
	list := strings.Fields(request)
	for i, w := range list {
		list[i] = words.Short(w, 16)
	}
	return words.Short(strings.Join(list, " "), 56)
}
