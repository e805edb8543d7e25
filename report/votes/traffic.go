package votes

import (
	"cmp"
	"slices"
	"strings"

	"locktorture/history"
	"locktorture/internal/wire"
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
	Client   int    // 0: any
	From, To int64  // ns: when a message came
	Word     string // "": any
}

// A Traffic answers questions about the recorded traffic of a run: for each, the messages in
// the order in which they came, at most MostMessages.
type Traffic func([]Question) ([][]Message, error)

// MostMessages bounds the answer to one question.
const MostMessages = 50_000

// afterGrant is for how long after a grant answers to its requests are looked for: a quorum
// does not wait for the last.
const afterGrant = 2e9

// A Grant is an acquire that succeeded, with its call.
type Grant struct {
	Call, Answer history.Op
}

// Ask returns how the servers answered the requests of grants, in the order of the grants.
// Those of one group are compared with each other. Servers are asked in the name of an owner,
// so that each grant must have an owner value. Servers are all that could have been asked; of
// a client that asked most of them the others are told too. Traffic is asked once.
func Ask(groups [][]Grant, servers []string, traffic Traffic) ([][]Ballot, error) {
	out := make([][]Ballot, len(groups))
	var all []Question
	for _, g := range groups {
		all = append(all, questions(g)...)
	}
	if len(all) == 0 || traffic == nil {
		return out, nil
	}
	said, err := traffic(all)
	if err != nil {
		return nil, err
	}
	for i, g := range groups {
		for j, grant := range g {
			b := Ballot{Grant: grant.Answer, Answers: answersTo(said[2*j], grant.Answer.Time), servers: len(servers), said: said[2*j+1]}
			b.tries = triesOf(said[2*j], grant.Answer.Time)
			b.complete(servers)
			out[i] = append(out[i], b)
		}
		said = said[2*len(g):]
	}
	return out, nil
}

// questions are two for each grant: what was said in its name, and what of its lock until the
// last grant of the group.
func questions(group []Grant) (list []Question) {
	last := int64(0)
	for _, g := range group {
		last = max(last, g.Answer.Time)
	}
	for _, g := range group {
		list = append(list, Question{g.Answer.Client, g.asked(), g.Answer.Time + afterGrant, OwnerWord(g.Answer)},
			Question{From: g.asked(), To: last, Word: g.Answer.Lock})
	}
	return list
}

// leastOwner is how long a value must be, in bytes, to be somebody's and not a word of requests.
const leastOwner = 8

// OwnerWord returns what requests say of the owner of a grant. The history puts the number of a
// process before the values of a lock that names none ("p1:"); on the wire they stand alone.
func OwnerWord(grant history.Op) string {
	owner := grant.Owner()
	if _, ok := wire.OwnerProcess(owner); ok {
		if _, value, _ := strings.Cut(owner, ":"); len(value) >= leastOwner {
			return value
		}
	}
	return owner
}

// asked returns when a grant was asked for.
func (g Grant) asked() int64 {
	if g.Call.F == "" {
		return g.Answer.Time
	}
	return g.Call.Time
}

// answersTo returns the requests to each server that a grant came of, with their replies: the
// first, or a later one if the client asked again before it was granted the lock. Who asks
// again for the key has done with the answer before, also if that was a yes.
func answersTo(messages []Message, granted int64) (list []Answer) {
	at := func(node string) int {
		return slices.IndexFunc(list, func(v Answer) bool { return v.Node == node })
	}
	for _, m := range messages {
		i := at(m.Node)
		switch {
		case !m.Reply && i < 0:
			list = append(list, Answer{Node: m.Node, Request: m})
		case !m.Reply && m.Came <= granted && (!list[i].Yes() || counts(m.Text)):
			list[i] = Answer{Node: m.Node, Request: m}
		case m.Reply && i >= 0 && list[i].Reply.Came == 0 && m.Of == list[i].Request.Text:
			list[i].Reply = m
		}
	}
	return list
}

// complete adds the servers that were not asked, if most were: else it was no vote.
func (b *Ballot) complete(servers []string) {
	if b.vote() {
		for _, n := range servers {
			if !slices.ContainsFunc(b.Answers, func(v Answer) bool { return v.Node == n }) {
				b.Answers = append(b.Answers, Answer{Node: n})
			}
		}
	}
	slices.SortStableFunc(b.Answers, func(a, b Answer) int {
		return cmp.Or(cmp.Compare(len(a.Node), len(b.Node)), cmp.Compare(a.Node, b.Node))
	})
}
