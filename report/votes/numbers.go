package votes

import (
	"sort"

	"locktorture/history"
)

// A Place tells a request from all others.
type Place struct {
	Client     int
	Node, Text string
	Came       int64 // ns
}

// A Number says which try of an acquire a request belongs to, and how many there were.
type Number struct{ Try, Of int }

// Numbers returns the number of each request by which an acquire with several tries asked for
// the lock, in the name of whichever owner: some locks take a new one for each try. messages
// holds all messages of the run, in the order in which they came.
func Numbers(h history.Source, messages []Message) (map[Place]Number, error) {
	byClient := map[int][]Message{}
	for _, m := range messages {
		if m.Client > 0 && (counts(m.Text) || m.Reply && counts(m.Of)) {
			byClient[m.Client] = append(byClient[m.Client], m)
		}
	}
	numbers, calls := map[Place]Number{}, map[int]history.Op{}
	return numbers, h.Each(func(op *history.Op) error {
		if op.F != history.Acquire && op.F != history.Try {
			return nil
		}
		if op.Type == history.Invoke {
			calls[op.Process] = *op
			return nil
		}
		if call, open := calls[op.Process]; open {
			delete(calls, op.Process)
			number(numbers, during(byClient[op.Client], call.Time, op.Time), op.Time)
		}
		return nil
	})
}

// during returns the messages of a span of time.
func during(messages []Message, from, to int64) []Message {
	at := func(time int64) int {
		return sort.Search(len(messages), func(i int) bool { return messages[i].Came >= time })
	}
	return messages[at(from):at(to+1)]
}

func number(numbers map[Place]Number, said []Message, ended int64) {
	tries := triesOf(said, ended)
	if len(tries) < 2 {
		return
	}
	for i, t := range tries {
		for _, a := range t.answers {
			numbers[Place{a.Request.Client, a.Node, a.Request.Text, a.Request.Came}] = Number{Try: i + 1, Of: len(tries)}
		}
	}
}
