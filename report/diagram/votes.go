package diagram

import (
	"fmt"
	"slices"
	"strings"

	"locktorture/history"
	"locktorture/report/words"
)

// keptBack is how long a message stays in the proxy before a drawing tells so.
const keptBack = 5e6 // ns

// steps are the answers of the servers, each an arrow, and what they come to for the client.
func (b ballot) steps(faults []history.Op, heals map[int]history.Op) (out []step) {
	client := ClientName(b.grant)
	for _, v := range b.answers {
		node := nodeName([]string{v.node})
		request := words.Short(strings.ReplaceAll(v.request.Text, b.grant.Owner(), "…"), 48)
		s := step{lease: b.grant.Lease, weight: messageWeight, class: voteClass(v, b.grant)}
		if v.reply.Came == 0 || v.request.Left == 0 {
			s.time, s.from, s.to, s.label = v.request.Came, client, node, request+": "+fate(v, b.grant)
		} else {
			s.time, s.from, s.to, s.label = v.reply.Came, node, client, answer(v, b.grant)+" to "+request
		}
		out = append(out, s)
	}
	if len(b.answers) > 1 {
		out = append(out, step{time: b.grant.Time, from: client, to: client, lease: b.grant.Lease, weight: messageWeight, class: voted, label: b.words(faults, heals)})
	}
	return out
}

// voted is the class of a step that sums up what servers answered.
const voted = "votes"

// messageWeight is that of a message: a drawing that has messages is about them.
const messageWeight = 9

func voteClass(v vote, grant history.Op) string {
	if v.yes(grant) {
		return "ok"
	}
	return "bad"
}

// words sum up the answers: "redis-1 OK (its clock +2.700 s), redis-3 nil → 1 of 2". Only
// answers to a SET … NX are counted: of these it is known which is a yes.
func (b ballot) words(faults []history.Op, heals map[int]history.Op) string {
	var list []string
	yes, countable := 0, true
	for _, v := range b.answers {
		text := words.Word(v.node) + " " + answer(v, b.grant)
		if moved := clock(v.node, v.at(), faults, heals); moved != "" {
			text += " (its clock " + moved + ")"
		}
		list = append(list, text)
		countable = countable && sets(v.request.Text)
		if v.yes(b.grant) {
			yes++
		}
	}
	line := strings.Join(list, ", ")
	if countable {
		line += fmt.Sprintf(" → %d%cof%c%d", yes, unbroken, unbroken, len(b.answers))
	}
	return line
}

// sets tells whether a request is one that Redis answers OK if the key was free, and nil if
// not.
func sets(request string) bool {
	args := strings.Fields(request)
	if len(args) < 4 || args[0] != "SET" {
		return false
	}
	for _, a := range args[3:] {
		if strings.EqualFold(a, "NX") {
			return true
		}
	}
	return false
}

// heard tells whether the reply had reached the client when it was granted the lock.
func (v vote) heard(grant history.Op) bool { return v.reply.Left > 0 && v.reply.Left <= grant.Time }

func (v vote) yes(grant history.Op) bool { return v.reply.Text == "OK" && v.heard(grant) }

// at is when the server answered, or was asked.
func (v vote) at() int64 { return max(v.request.Came, v.reply.Came) }

// answer is what the client heard of a server.
func answer(v vote, grant history.Op) string {
	if v.reply.Came == 0 || v.request.Left == 0 {
		return fate(v, grant)
	}
	text := words.Short(v.reply.Text, 24)
	switch stayed := v.reply.Left - v.reply.Came; {
	case v.reply.Left == 0:
		return text + ", lost on its way"
	case !v.heard(grant):
		return text + ", too late"
	case stayed >= keptBack:
		return text + ", kept back for " + words.Span(stayed)
	}
	return text
}

// fate is what became of a request without an answer.
func fate(v vote, grant history.Op) string {
	switch {
	case v.request.Left == 0:
		return "lost on its way"
	case v.request.Left > grant.Time:
		return "kept back for " + words.Span(v.request.Left-v.request.Came)
	}
	return "no answer"
}

// clock says how the clock of a server was moved at a time; "" if it was not.
func clock(node string, at int64, faults []history.Op, heals map[int]history.Op) string {
	for _, f := range faults {
		heal, healed := heals[f.Fault]
		if f.FaultTraits().Effect != history.Skewed || f.Time > at || healed && heal.Time <= at || !slices.Contains(f.Nodes(), node) {
			continue
		}
		if _, text, ok := strings.Cut(f.Seen(), " tell "); ok { // as the fault writes what was seen of it
			offset := strings.Fields(text) // "+1.824", "s,", and what moved it
			return words.Short(strings.TrimSuffix(strings.Join(offset[:min(2, len(offset))], " "), ","), 24)
		}
		if _, rate, ok := strings.Cut(f.Seen(), " run at rate "); ok && rate != "" {
			return "at rate " + words.Short(strings.Fields(rate)[0], 12)
		}
		return "moved"
	}
	return ""
}
