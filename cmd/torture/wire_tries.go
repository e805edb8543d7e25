package main

import (
	"errors"
	"io/fs"
	"iter"

	"locktorture/report/votes"
	"locktorture/trial"
	"locktorture/wire/trace"
)

// withTries adds to the rows which try of its acquire a request belongs to. It reads the traffic
// of the client, 0 for all, twice: how many tries there are is known at the end of an acquire.
func withTries(dir *trial.Dir, client int, said iter.Seq2[trace.Row, error]) (iter.Seq2[trace.Row, error], error) {
	all, file, err := saidIn(dir, trace.Filter{Client: client})
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var messages []votes.Message
	for r, err := range all {
		if err != nil {
			return nil, err
		}
		if r.Event == trace.Message && !r.Raw {
			messages = append(messages, votes.Message{Client: r.Client, Node: r.Node, Reply: r.Reply, Text: r.Text, Of: r.Of, Came: r.Time})
		}
	}
	numbers, err := votes.Numbers(trial.HistoryOf(dir.Path), messages)
	if errors.Is(err, fs.ErrNotExist) {
		return said, nil
	}
	return func(yield func(trace.Row, error) bool) {
		for r, err := range said {
			came := r.Time
			if r.Came > 0 {
				came = r.Came
			}
			if n, ok := numbers[votes.Place{Client: r.Client, Node: r.Node, Text: r.Text, Came: came}]; ok && !r.Reply {
				r.Try, r.Tries = n.Try, n.Of
			}
			if !yield(r, err) {
				return
			}
		}
	}, err
}
