package control

import "fmt"

// A localParty is a party inside a barrier that has not called leave yet.
type localParty struct {
	*localWaiter
	generation *localGeneration
}

// A localGeneration is the set of parties that entered together.
type localGeneration struct {
	inside int
	// leaving holds the answers to the parties that wait for the others to leave.
	leaving []message
}

// The caller of every method below holds the server's lock.

// enter queues a party. Once all parties have come, all of them enter.
func (s *LocalServer) enter(w *localWaiter, parties int) (out []message) {
	come := append(s.coming[w.name], w)
	if len(come) < parties {
		s.coming[w.name] = come
		return nil
	}
	delete(s.coming, w.name)
	g := &localGeneration{inside: len(come)}
	for _, w := range come {
		s.last++
		s.inside[s.last] = &localParty{w, g}
		out = append(out, message{w.conn, fmt.Sprintf("%s granted %d", w.id, s.last)})
	}
	return out
}

// leave queues the answer to a party until every party of the generation has called leave.
func (s *LocalServer) leave(c *localConn, id string, token uint64) []message {
	p := s.inside[token]
	if p == nil || p.conn != c {
		return []message{{c, id + " not-held"}}
	}
	p.generation.leaving = append(p.generation.leaving, message{c, id + " released"})
	return s.gone(token, p)
}

// gone removes a party. If it was the last one inside, gone returns the answers to all waiting
// parties.
func (s *LocalServer) gone(token uint64, p *localParty) []message {
	delete(s.inside, token)
	g := p.generation
	if g.inside--; g.inside > 0 {
		return nil
	}
	return g.leaving
}
