package export

import (
	"fmt"
	"iter"

	"locktorture/wire/trace"
)

// Messages are what clients and servers said to each other, in the order of time; nil: nobody
// recorded it.
type Messages = iter.Seq2[trace.Row, error]

// A lane is one direction of a connection. What is sent on it goes on in order, so a slice
// begins where the one before it ended.
type lane struct {
	track int
	free  int64 // ns
}

// A lanes assigns messages to the lanes of a trace that is being written.
type lanes struct {
	*tracks
	known map[string]*lane
	asked map[int][]string // by connection, the flows of requests that are not answered
}

// messages puts what was said onto tracks beside each node: a slice for each message, from
// when it came into the proxy until it went on, and a flow from each request to its reply.
func (t *tracks) messages(all Messages) error {
	if all == nil {
		return nil
	}
	l := &lanes{tracks: t, known: map[string]*lane{}, asked: map[int][]string{}}
	for r, err := range all {
		if err != nil {
			return err
		}
		switch r.Event {
		case trace.Message:
			l.message(r)
		case trace.Later:
			l.slice(r, "kept", "kept back: "+r.Text, r.Came, r.Time)
		case trace.Lost:
			l.slice(r, "kept", "lost: "+r.Text, r.Came, r.Time)
		case trace.Ended:
			delete(l.asked, r.Conn)
		}
	}
	return t.err
}

func (l *lanes) message(r trace.Row) {
	name := r.Text
	if r.Lost {
		name = "lost: " + name
	}
	at, on := l.slice(r, "message", name, r.Time, max(r.Left, r.Time))
	if !r.Reply {
		l.flows++
		id := fmt.Sprintf("flow-%d", l.flows)
		l.asked[r.Conn] = append(l.asked[r.Conn], id)
		l.put(event{Name: "answered", Cat: "message", Ph: "s", ID: id, TS: micro(at), PID: nodes, TID: on})
		return
	}
	if waiting := l.asked[r.Conn]; r.Of != "" && len(waiting) > 0 {
		l.asked[r.Conn] = waiting[1:]
		l.put(event{Name: "answered", Cat: "message", Ph: "f", BP: "e", ID: waiting[0], TS: micro(at), PID: nodes, TID: on})
	}
}

// slice returns a message on its lane, or how long one was kept. It returns when its slice
// begins, and on which track.
func (l *lanes) slice(r trace.Row, category, name string, from, to int64) (at int64, on int) {
	who := r.From
	if r.Client > 0 {
		who = fmt.Sprintf("c%d", r.Client)
	}
	node := r.Node
	if node == "" {
		node = "the primary"
	}
	ends := who + " → " + node
	if r.Reply {
		ends = node + " → " + who
	}
	key := fmt.Sprintf("%s, connection %d", ends, r.Conn)
	w := l.known[key]
	if w == nil {
		w = &lane{track: l.track(nodes, key)}
		l.known[key] = w
	}
	at = max(from, w.free)
	w.free = max(to, at+1000) // 1 µs, or it would not be seen
	said := map[string]any{"message": r.Text, "bytes": r.Bytes, "protocol": r.Protocol}
	if r.Of != "" {
		said["answers"] = r.Of
	}
	l.put(event{Name: name, Cat: category, Ph: "X", TS: micro(at), Dur: micro(w.free - at), PID: nodes, TID: w.track, Args: said})
	return at, w.track
}
