package votes

import (
	"fmt"
	"slices"
	"strings"

	"locktorture/report/words"
)

// A try is one round of requests for a lock: a client that asks a server again has begun the
// next.
type try struct {
	answers   []Answer
	givenBack int64 // ns: when the client deleted what it had got, before the next try; 0: it did not
}

// triesOf returns the tries among what a client and the servers said in the name of one owner,
// up to its grant. A script that a server does not know is sent again, and that is no further
// try.
func triesOf(messages []Message, granted int64) (list []try) {
	for _, m := range messages {
		switch {
		case m.Reply:
			list = answered(list, m)
		case m.Came > granted:
		case counts(m.Text):
			again := func(v Answer) bool { return v.Node == m.Node }
			if len(list) == 0 || slices.ContainsFunc(list[len(list)-1].answers, again) {
				list = append(list, try{})
			}
			last := &list[len(list)-1]
			last.answers = append(last.answers, Answer{Node: m.Node, Request: m})
		case len(list) > 0 && gives(m.Text) && list[len(list)-1].givenBack == 0:
			list[len(list)-1].givenBack = m.Came
		}
	}
	return list
}

// answered puts a reply to the oldest request of its text that has none.
func answered(list []try, m Message) []try {
	for i := range list {
		at := slices.IndexFunc(list[i].answers, func(v Answer) bool {
			return v.Node == m.Node && v.Reply.Came == 0 && v.Request.Text == m.Of
		})
		switch {
		case at < 0:
			continue
		case strings.HasPrefix(m.Text, `error "NOSCRIPT`):
			list[i].answers = slices.Delete(list[i].answers, at, at+1)
		default:
			list[i].answers[at].Reply = m
		}
		break
	}
	return list
}

// Tries says how the servers answered each try of the client for this grant, if there were
// several and several servers were asked: nothing of a client that was granted the lock at once.
// Tries that follow each other and were answered alike are one line.
func (b Ballot) Tries(f Faults) (lines []string) {
	if !b.vote() || len(b.tries) < 2 {
		return nil
	}
	var last string
	first := 0
	for i := range b.tries {
		text := b.tried(i, f)
		if text == last && i+1 < len(b.tries) {
			lines[len(lines)-1] = fmt.Sprintf("tries %d to %d, %s to %s: %s", first+1, i+1, b.began(first), b.began(i), text)
			continue
		}
		lines = append(lines, fmt.Sprintf("try %d, %s: %s", i+1, b.began(i), text))
		last, first = text, i
	}
	if borrowed := b.Borrowed(); borrowed != "" {
		lines = append(lines, borrowed)
	}
	return lines
}

func (b Ballot) began(i int) string { return words.At(b.tries[i].answers[0].Request.Came) }

// at returns a try as the ballot that it would have been. What came after it was given up was
// late.
func (b Ballot) at(i int) Ballot {
	one := Ballot{Grant: b.Grant, Answers: slices.Clone(b.tries[i].answers), servers: b.servers}
	switch back := b.tries[i].givenBack; {
	case back > 0:
		one.Grant.Time = back
	case i+1 < len(b.tries):
		one.Grant.Time = b.tries[i+1].answers[0].Request.Came
	}
	slices.SortFunc(one.Answers, func(v, w Answer) int { return strings.Compare(v.Node, w.Node) })
	return one
}

// tried returns what became of a try.
func (b Ballot) tried(i int, f Faults) string {
	one := b.at(i)
	text := one.Words(f)
	switch back := b.tries[i].givenBack; {
	case i == len(b.tries)-1:
		return text + fmt.Sprintf(", and c%d was granted the lock", b.Grant.Client)
	case back > 0 && slices.ContainsFunc(one.Answers, Answer.Yes):
		return text + ", deleted again from " + words.At(back) + " on"
	}
	return text
}

// Borrowed says so where the try of a grant had too few votes, and an earlier one of the same
// client had enough: it must have counted these. "" if it had enough, or it is not known.
func (b Ballot) Borrowed() string {
	if !b.vote() || len(b.tries) < 2 {
		return ""
	}
	last := len(b.tries) - 1
	now, known := b.at(last).count()
	if !known || 2*now > b.servers {
		return ""
	}
	for i := last - 1; i >= 0; i-- {
		yes := 0
		for _, v := range b.tries[i].answers {
			if v.Yes() {
				yes++
			}
		}
		if 2*yes <= b.servers {
			continue
		}
		what := ""
		if back := b.tries[i].givenBack; back > 0 {
			what = ", whose keys it deleted from " + words.At(back) + " on"
		}
		return fmt.Sprintf("c%d was granted the lock although its last try had only %s votes: the client also counted votes of its try %d%s", b.Grant.Client, of(now, b.servers), i+1, what)
	}
	return fmt.Sprintf("c%d was granted the lock although its last try had only %s votes", b.Grant.Client, of(now, b.servers))
}
