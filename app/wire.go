package app

import (
	"regexp"
	"slices"
	"sync"

	"locktorture/cluster"
	"locktorture/history"
	"locktorture/wire"
	"locktorture/wire/protocols"
)

// A WireEffect is an effect that is observed on the links to a server.
type WireEffect struct {
	Server  string
	Request *regexp.Regexp
	Refused *regexp.Regexp // replies that report that nothing was changed; nil: errors, nil and 0 rows
}

// effects watches links of replicas for effects.
type effects struct {
	stage *stage
	mu    sync.Mutex
	over  bool            // nothing is recorded any more
	conns map[int]*spoken // connections with an effect of unknown outcome or an unanswered request
}

// A spoken is the state of a connection.
type spoken struct {
	conn    int
	read    func(wire.Message) answer
	pending []*pending
	flying  int   // requests without an answer, where transactions are followed
	last    int64 // time of its last request that was sent when all others had been answered
}

// A pending is an effect of unknown outcome.
type pending struct {
	sight
	of       []string // names of the request in a reply
	refusal  *regexp.Regexp
	prepared bool // in a transaction that may still be rolled back
	part     bool // its request may get more answers
	mixed    bool // its request got several answers, and any of them may be about the effect
}

// tap returns the tap that observes the effects of the file, or nil if none is observed on the wire.
// It observes nothing while an act has no stage.
func (a *Act) tap() cluster.Tap {
	if !slices.ContainsFunc(a.File.Jobs, func(j Job) bool { return j.Wire != nil }) {
		return nil
	}
	d := protocols.New(nil)
	protocolOf := func(w cluster.Way) string { return wire.ProtocolOf(a.servers.Nodes[max(w.To, 0)].Name()) }
	return &wire.Observer{
		Decoder: func(w cluster.Way) wire.Decoder {
			e := a.effects.Load()
			if e == nil || w.Client < 1 || w.Client > len(e.stage.replicas) || !e.watched(w) {
				return nil
			}
			return d.For(protocolOf(w))
		},
		See: func(w cluster.Way, conn int, m wire.Message) func() {
			if e := a.effects.Load(); e != nil {
				return e.said(e.stage.replicas[w.Client-1], e.serverOf(w), protocolOf(w), conn, m)
			}
			return nil
		},
	}
}

// serverOf returns the name of a link's server in the file.
func (e *effects) serverOf(w cluster.Way) string {
	at := 0
	for i, s := range e.stage.file.Servers {
		at += len(e.stage.act.clusters[i].Nodes)
		if w.To < at {
			return s.Name
		}
	}
	return ""
}

func (e *effects) watched(w cluster.Way) bool {
	server := e.serverOf(w)
	return slices.ContainsFunc(e.stage.file.Jobs, func(j Job) bool { return j.Wire != nil && j.Wire.Server == server })
}

// said inspects the next message of a connection before it is delivered. It returns what is to be
// done if the message is lost.
func (e *effects) said(r *replica, server, protocol string, conn int, m wire.Message) (lost func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.over {
		return nil
	}
	c := e.conns[conn]
	if c == nil {
		c = &spoken{conn: conn, read: answers()[protocol]}
	}
	now := e.stage.now()
	switch {
	case m.Reply:
		if len(c.pending) > 0 {
			c.answer(e.stage, m, now)
		}
		if c.flying > 0 && completes(protocol, m) {
			c.flying--
		}
	default:
		if c.flying == 0 {
			c.last = now
		}
		if awaits(protocol, m) {
			c.flying++
		}
		if m.Name != "Parse" && m.Name != "prepare" { // these have no values yet
			lost = e.asked(r, server, c, m, now)
		}
	}
	if len(c.pending) == 0 && c.flying == 0 {
		delete(e.conns, conn)
	} else {
		e.conns[conn] = c
	}
	return lost
}

// awaits reports whether the server completes the request with an answer, as completes recognises it.
// It is true only for servers whose transactions are followed.
func awaits(protocol string, m wire.Message) bool {
	switch protocol {
	case "postgres":
		return m.Name == "Query" || m.Name == "Sync" || m.Name == "FunctionCall"
	case "mariadb":
		return !m.Raw && !slices.Contains([]string{"SSLRequest", "login", "authentication", "longData", "close", "quit", "changeUser"}, m.Name)
	}
	return false
}

// completes reports whether an answer is the last one to its request.
func completes(protocol string, m wire.Message) bool {
	return protocol == "postgres" && m.Name == "ReadyForQuery" || protocol == "mariadb" && m.Of != "" && !m.More
}

// asked looks for an effect in a request. It returns what is to be done if the request is lost.
func (e *effects) asked(r *replica, server string, c *spoken, m wire.Message, now int64) (lost func()) {
	var found []*pending
	for _, j := range e.stage.file.Jobs {
		if j.Wire == nil || j.Wire.Server != server {
			continue
		}
		s, ok := match(j.Wire.Request, m.String())
		if !ok {
			continue
		}
		s.client, s.process, s.job, s.way, s.mode = r.number, r.number0(), j.Name, server, history.JobTry
		if j.Leads {
			s.session, s.began = c.conn, now // whoever does not lead does not acknowledge it
		} else {
			s.run = e.stage.book.seen(s, now)
			s.began = now
		}
		found = append(found, &pending{sight: s, of: []string{m.String(), m.Text}, refusal: j.Wire.Refused})
	}
	if len(found) == 0 {
		return nil
	}
	c.pending = append(c.pending, found...)
	return func() { e.lost(c, found) }
}

// end ends the recording: the history of the run is about to end.
func (e *effects) end() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.over = true
}

// lost processes the loss of a request with effects: they will never be done.
func (e *effects) lost(c *spoken, gone []*pending) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.over {
		return
	}
	c.pending = slices.DeleteFunc(c.pending, func(p *pending) bool {
		was := slices.Contains(gone, p)
		if was && p.run != nil {
			p.mode = history.JobLost
			e.stage.book.seen(p.sight, e.stage.now())
		}
		return was
	})
}

// answer looks for the outcome of effects in a reply.
func (c *spoken) answer(s *stage, m wire.Message, now int64) {
	a := c.read(m)
	if a.whole {
		c.whole(s, now)
	}
	if a.ends != nothing {
		c.settle(s, a.ends, now)
	}
	i := slices.IndexFunc(c.pending, func(p *pending) bool { return (!p.prepared || p.part) && m.Of != "" && slices.Contains(p.of, m.Of) })
	if i < 0 || m.Control {
		return
	}
	p := c.pending[i]
	if p.part { // this is the answer to another statement, or that was
		p.mixed = p.mixed || a.part
		return
	}
	p.refused = a.says == failed || p.refusal == nil && a.no && a.says != nothing || p.refusal != nil && p.refusal.MatchString(m.String())
	switch {
	case a.part:
		p.prepared, p.part = true, true
		return
	case p.refused:
	case a.says == nothing:
		return
	case a.says == prepared:
		p.prepared = true
		return
	}
	c.pending = slices.Delete(c.pending, i, i+1)
	p.mode = history.JobEffect
	if a.says != unclear && (p.session == 0 || !p.refused) {
		s.book.seen(p.sight, now)
	}
}

// whole processes the last answer to a request. If the request got several answers, any of them may
// be about the effect, so the outcome stays unknown.
func (c *spoken) whole(s *stage, now int64) {
	c.pending = slices.DeleteFunc(c.pending, func(p *pending) bool {
		was := p.part
		p.part = false
		if was && !p.mixed && p.refused && p.session == 0 {
			p.mode = history.JobEffect
			s.book.seen(p.sight, now)
		}
		return was && (p.mixed || p.refused)
	})
}

// settle processes the end of a transaction: its effects count from the commit, and do not count
// after a rollback. If the commit was sent behind a request
// without an answer, it counts from that request.
func (c *spoken) settle(s *stage, how outcome, now int64) {
	for _, p := range c.pending {
		if p.prepared && how == done {
			p.mode = history.JobEffect
			if p.session == 0 {
				p.began = max(p.began, c.last)
			}
			s.book.seen(p.sight, now)
		}
	}
	c.pending = slices.DeleteFunc(c.pending, func(p *pending) bool { return p.prepared })
}
