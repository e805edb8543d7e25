package story

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"locktorture/history"
	"locktorture/report/votes"
	"locktorture/report/words"
)

// A round is what a client asked in one call of one or several servers, with the same words.
type round struct {
	client   int
	text     string // of the request
	answers  []votes.Answer
	repeated int   // times that it was asked again to no other effect
	until    int64 // ns, the last of these
}

func (r round) begin() int64 { return r.answers[0].Request.Came }

// said asks for what was said of the locks of a script, from its first entry to its last.
func said(h history.History, locks []string, traffic votes.Traffic) (list []votes.Message, err error) {
	if traffic == nil || len(h) == 0 || len(locks) == 0 {
		return nil, nil
	}
	var questions []votes.Question
	for _, l := range locks {
		questions = append(questions, votes.Question{To: h[len(h)-1].Time, Word: l})
	}
	answers, err := traffic(questions)
	if err != nil {
		return nil, err
	}
	for i, messages := range answers {
		for _, m := range messages {
			longer := slices.ContainsFunc(locks, func(l string) bool { // its name has this lock's in it
				return len(l) > len(locks[i]) && (strings.Contains(m.Text, l) || strings.Contains(m.Of, l))
			})
			if !longer {
				list = append(list, m)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b votes.Message) int { return cmp.Compare(a.Came, b.Came) })
	return list, nil
}

// together is how soon a client asks the other servers of a round.
const together = 50e6 // ns

// rounds puts requests and replies together, in the order in which they were begun. A script
// that a server does not know is sent again: the first attempt is no round.
func rounds(list []votes.Message) (out []*round) {
	for _, m := range list {
		switch {
		case !m.Reply:
			i := slices.IndexFunc(out, func(r *round) bool {
				new := !slices.ContainsFunc(r.answers, func(v votes.Answer) bool { return v.Node == m.Node })
				return r.client == m.Client && r.text == m.Text && new && m.Came-r.begin() < together
			})
			if i < 0 {
				out = append(out, &round{client: m.Client, text: m.Text})
				i = len(out) - 1
			}
			out[i].answers = append(out[i].answers, votes.Answer{Node: m.Node, Request: m})
		default:
			for _, r := range out {
				at := slices.IndexFunc(r.answers, func(v votes.Answer) bool { return v.Node == m.Node && v.Reply.Came == 0 })
				if r.client == m.Client && r.text == m.Of && at >= 0 {
					r.answers[at].Reply = m
					break
				}
			}
		}
	}
	for _, r := range out {
		slices.SortStableFunc(r.answers, func(a, b votes.Answer) int { return cmp.Compare(a.Node, b.Node) })
	}
	return slices.DeleteFunc(out, func(r *round) bool {
		return strings.HasPrefix(r.answers[0].Reply.Text, `error "NOSCRIPT`)
	})
}

// folded leaves out what a client asks again, with the same answers and nothing of its own in
// between.
func folded(list []*round) (out []*round) {
	last := map[int]*round{}
	for _, r := range list {
		if l := last[r.client]; l != nil && alike(l, r) {
			l.repeated++
			l.until = r.begin()
			continue
		}
		last[r.client] = r
		out = append(out, r)
	}
	return out
}

func alike(a, b *round) bool {
	return shape(a.text) == shape(b.text) && slices.EqualFunc(a.answers, b.answers, func(v, w votes.Answer) bool {
		return v.Node == w.Node && v.Reply.Text == w.Reply.Text
	})
}

// shape returns a request with short names: of an owner value so much that one is told from
// another.
func shape(text string) string {
	list := strings.Fields(text)
	for i, w := range list {
		switch {
		case isOwner(w):
			list[i] = w[:strings.IndexByte(w, ':')+1] + "…"
		case len(w) > 24:
			list[i] = words.Short(w, 24)
		}
	}
	return words.Short(strings.Join(list, " "), 64)
}

// isOwner reports whether a word is an owner value of torture's own: "p12:" and more.
func isOwner(word string) bool {
	number, rest, ok := strings.Cut(word, ":")
	return ok && len(rest) > 8 && strings.HasPrefix(number, "p") && strings.Trim(number[1:], "0123456789") == "" && len(number) > 1
}

// mostRounds bounds those of a story.
const mostRounds = 30

// talk makes the rows of what was said, in the order of their times.
func (t *teller) talk(list []votes.Message, ballots []votes.Ballot) (rows []event) {
	all := slices.DeleteFunc(folded(rounds(list)), func(r *round) bool { return r.client > t.clients })
	t.story.unsaid = max(0, len(all)-mostRounds)
	for _, r := range all[:min(mostRounds, len(all))] {
		t.talks[r.client] = true
		switch i := slices.IndexFunc(ballots, func(b votes.Ballot) bool { return b.Of(r.text) }); {
		case len(r.answers) == 1:
			rows = append(rows, t.exchange(r.client, shape(r.text), r.answers[0])...)
		case i >= 0:
			rows = append(rows, t.vote(shape(r.text), ballots, i)...)
		default:
			b := votes.Round(r.client, r.answers, t.run.Nodes)
			rows = append(rows, event{time: b.Grant.Time, class: "votes", label: fmt.Sprintf("c%d: %s", r.client, shape(r.text)), more: b.Words(t.faults)})
		}
		if r.repeated > 0 {
			by := fmt.Sprintf("C%d", r.client)
			rows = append(rows, event{time: r.until, from: by, to: by, class: "said", label: "sent this " + words.Plural(r.repeated, "more time", "more times") + " and got the same answer"})
		}
	}
	slices.SortStableFunc(rows, func(a, b event) int { return cmp.Compare(a.time, b.time) })
	return rows
}

// vote returns a round that a grant came of: an arrow for each server, what they come to, and
// what is left of the votes for others.
func (t *teller) vote(request string, ballots []votes.Ballot, i int) (rows []event) {
	b := ballots[i]
	for _, v := range b.Answers {
		if v.Asked() {
			said := t.exchange(b.Grant.Client, request, v)
			rows = append(rows, said[len(said)-1])
		}
	}
	rows = append(rows, event{time: b.Grant.Time, class: "votes", label: fmt.Sprintf("c%d: %s", b.Grant.Client, request), more: b.Words(t.faults)})
	for _, old := range ballots[:i] {
		if old.Grant.Lock != b.Grant.Lock || old.Grant.Client == b.Grant.Client || releasedBy(t.leases.lease(old.Grant.Lease), b.Grant.Time) {
			continue
		}
		if left := old.Left(b, t.faults, t.looks(b.Grant.Time)); left != "" {
			rows = append(rows, event{time: b.Grant.Time, class: "votes", label: fmt.Sprintf("c%d, lease %d", old.Grant.Client, old.Grant.Lease), more: left})
		}
	}
	return rows
}

// looks returns the newest at each server up to a time.
func (t *teller) looks(until int64) (list []history.Op) {
	at := map[string]int{}
	for _, op := range t.h {
		if op.F != history.Probe || op.Time > until {
			continue
		}
		key := op.Node + " " + op.Lock
		if i, ok := at[key]; ok {
			list[i] = op
			continue
		}
		at[key] = len(list)
		list = append(list, op)
	}
	return list
}

// exchange returns a request and its reply, an arrow each.
func (t *teller) exchange(client int, request string, v votes.Answer) []event {
	by, at := fmt.Sprintf("C%d", client), t.server(v.Node)
	ask := event{time: v.Request.Came, from: by, to: at, label: request, class: "said"}
	if v.Request.Left == 0 {
		ask.label, ask.class = ask.label+": lost on its way", "bad"
		return []event{ask}
	}
	if v.Reply.Came == 0 {
		return []event{ask}
	}
	reply := event{time: v.Reply.Came, from: at, to: by, label: words.Short(v.Reply.Text, 40), class: "said"}
	switch stayed := v.Reply.Left - v.Reply.Came; {
	case v.Reply.Left == 0:
		reply.label, reply.class = reply.label+": lost on its way", "bad"
	case stayed >= votes.KeptBack:
		reply.label += ", kept back for " + words.Span(stayed)
	}
	return []event{ask, reply}
}

// server returns the lifeline of a server; that of the lock if it has none.
func (t *teller) server(node string) string {
	if node == t.node || !slices.Contains(t.run.Nodes, node) {
		return "L0"
	}
	return "N" + node
}
