package diagram

import (
	"cmp"
	"slices"

	"locktorture/history"
)

// A Message is what a client and a server said to each other, on the clock of the history.
type Message struct {
	Client int
	Node   string
	Reply  bool   // of the server
	Text   string // in one line
	Of     string // of a reply: the request that it answers; "" if that was not seen
	Came   int64  // ns, into the proxy between the two
	Left   int64  // ns, out of it; 0: it never went on
}

// A Question asks for what a client and the servers said of a word, and for the replies to
// that.
type Question struct {
	Client   int
	From, To int64 // ns: when a message came
	Word     string
}

// A Traffic answers questions about the recorded traffic of a run: for each, the messages in
// the order in which they came.
type Traffic func([]Question) ([][]Message, error)

// afterGrant is for how long after a grant answers to its requests are looked for: a quorum
// does not wait for the last.
const afterGrant = 2e9

// Trace adds to the drawings what clients and servers said about the grants of their
// witnesses. It comes after the last entry of the history. Servers are asked in the name of an
// owner: of a grant whose owner value is not known nothing is added.
func (s *Set) Trace(traffic Traffic) error {
	var questions []Question
	var of []int // the drawing of each
	var grants []history.Op
	for i := range s.list {
		for _, op := range s.gather.found[i].grants() {
			from := op.Time
			if call, ok := s.gather.found[i].calls[op.Lease]; ok {
				from = call.Time
			}
			questions = append(questions, Question{op.Client, from, op.Time + afterGrant, op.Owner()})
			of, grants = append(of, i), append(grants, op)
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
		e.votes = append(e.votes, ballot{grant: grants[q], answers: answersTo(messages, grants[q].Owner())})
	}
	return nil
}

// grants are those of the witness's leases whose owner value is known.
func (e evidence) grants() (list []history.Op) {
	for _, op := range e.ops {
		if isGrant := op.F == history.Acquire || op.F == history.Try; isGrant && op.Type == history.OK && op.Owner() != "" && op.Client > 0 {
			list = append(list, op)
		}
	}
	return list
}

// A ballot is how the servers answered the request that a grant came of.
type ballot struct {
	grant   history.Op
	answers []vote
}

// A vote is what one server answered.
type vote struct {
	node    string
	request Message
	reply   Message // Came 0: none was seen
}

// answersTo are the first requests to each server in the name of an owner, with their replies;
// by the server's name.
func answersTo(messages []Message, owner string) (list []vote) {
	at := func(node string) int {
		return slices.IndexFunc(list, func(v vote) bool { return v.node == node })
	}
	for _, m := range messages {
		i := at(m.Node)
		switch {
		case !m.Reply && i < 0:
			list = append(list, vote{node: m.Node, request: m})
		case m.Reply && i >= 0 && list[i].reply.Came == 0 && m.Of == list[i].request.Text:
			list[i].reply = m
		}
	}
	slices.SortStableFunc(list, func(a, b vote) int {
		return cmp.Or(cmp.Compare(len(a.node), len(b.node)), cmp.Compare(a.node, b.node))
	})
	return list
}
