package trace

import (
	"iter"

	"locktorture/wire"
	"locktorture/wire/tape"
)

// A Source is a tape with its decoders.
type Source struct {
	Tape *tape.Reader
	// Decoder makes the decoder of a connection. If it returns nil, the chunks are shown as bytes.
	Decoder func(protocol string) wire.Decoder
	// Learn receives the clients' data, in its chunks, before the first row, because a decoder may
	// need names from later messages, such as the names of scripts. It may be nil.
	Learn func(protocol string, requests []byte)
}

// learn passes the whole tape to Learn.
func (s Source) learn(wanted func(link int) bool) error {
	if s.Learn == nil {
		return nil
	}
	for e, err := range s.Tape.Events(wanted) {
		if err != nil {
			return err
		}
		if e.Kind == tape.Enter && !e.Reply {
			s.Learn(s.Tape.Meta.Links[e.Link].Protocol, e.Data)
		}
	}
	return nil
}

// Rows returns the selected rows in the order of time.
func (s Source) Rows(f Filter) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		q := &queue{yield: func(r *Row) bool { return !f.row(r) || yield(*r, nil) }}
		t := &tracer{source: s, queue: q, conns: map[int]*conn{}}
		links := s.Tape.Meta.Links
		wanted := func(i int) bool { return f.link(links[i].Client, links[i].From, links[i].To) }
		if err := s.learn(wanted); err != nil {
			yield(Row{}, err)
			return
		}
		for e, err := range s.Tape.Events(wanted) {
			if err != nil {
				yield(Row{}, err)
				return
			}
			if !q.until(e.Time) {
				return
			}
			t.event(e)
		}
		q.rest()
	}
}

// A tracer converts events into rows.
type tracer struct {
	source Source
	queue  *queue
	conns  map[int]*conn
}

// A conn is a traced connection.
type conn struct {
	link    int
	decoder wire.Decoder
	open    [2]map[int][]*Row // by direction: rows of chunks whose fate is unknown
	ended   [2]bool
}

// chunks returns the index of a direction.
func chunks(reply bool) int {
	if reply {
		return 1
	}
	return 0
}

func (t *tracer) event(e tape.Event) {
	if e.Kind == tape.Gap {
		t.gap(e)
		return
	}
	c := t.conns[e.Conn]
	if c == nil {
		c = &conn{link: e.Link, open: [2]map[int][]*Row{{}, {}}}
		c.decoder = t.source.Decoder(t.source.Tape.Meta.Links[e.Link].Protocol)
		if e.Kind != tape.Connect && c.decoder != nil {
			c.decoder.Gap() // its start is missing
		}
		t.conns[e.Conn] = c
	}
	way := chunks(e.Reply)
	switch e.Kind {
	case tape.Connect:
		t.queue.add(t.row(e, Connected))
	case tape.Enter:
		t.entered(c, e)
	case tape.Leave, tape.Lose:
		for _, r := range c.open[way][e.Chunk] {
			t.queue.fate(r, e.Time, e.Kind == tape.Lose)
		}
		delete(c.open[way], e.Chunk)
	case tape.End:
		t.end(c, e)
	}
}

// entered adds the messages that a chunk completes. They share the fate of the chunk.
func (t *tracer) entered(c *conn, e tape.Event) {
	messages := []wire.Message{wire.RawOf(e.Reply, e.Data)}
	if c.decoder != nil {
		messages = c.decoder.Decode(e.Reply, e.Data)
	}
	for _, m := range messages {
		r := t.row(e, Message)
		r.Text, r.Of, r.Bytes, r.Raw, r.message = m.String(), m.Of, m.Size, m.Raw, m
		t.queue.add(r)
		c.open[chunks(e.Reply)][e.Chunk] = append(c.open[chunks(e.Reply)][e.Chunk], r)
	}
}

// end marks all undelivered data as lost.
func (t *tracer) end(c *conn, e tape.Event) {
	way := chunks(e.Reply)
	for _, rows := range c.open[way] {
		for _, r := range rows {
			t.queue.fate(r, e.Time, true)
		}
	}
	clear(c.open[way])
	t.queue.add(t.row(e, Ended))
	if c.ended[way] = true; c.ended[1-way] {
		delete(t.conns, e.Conn)
	}
}

// gap informs the decoders of a link that data is missing.
func (t *tracer) gap(e tape.Event) {
	for _, c := range t.conns {
		if c.link != e.Link {
			continue
		}
		if c.decoder != nil {
			c.decoder.Gap()
		}
		clear(c.open[0])
		clear(c.open[1])
	}
	t.queue.add(t.row(e, Missing))
}

func (t *tracer) row(e tape.Event, what string) *Row {
	l := t.source.Tape.Meta.Links[e.Link]
	return &Row{
		Event: what, Time: e.Time, Client: l.Client, Process: e.Process, From: l.From, Node: l.To,
		Conn: e.Conn, Reply: e.Reply, Protocol: l.Protocol,
	}
}
