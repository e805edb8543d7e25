package control

import "fmt"

// A localParty is inside of a barrier, until it has called to leave.
type localParty struct {
	*localWaiter
	generation *localGeneration
}

// A localGeneration are those who entered together.
type localGeneration struct {
	inside  int
	leaving []message // answers to those who wait for the others to leave
}

// What follows runs with the server's state locked.

// enter waits, or lets all in where the last party has come.
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

// leave is answered when all of the generation have called it.
func (s *LocalServer) leave(c *localConn, id string, token uint64) []message {
	p := s.inside[token]
	if p == nil || p.conn != c {
		return []message{{c, id + " not-held"}}
	}
	p.generation.leaving = append(p.generation.leaving, message{c, id + " released"})
	return s.gone(token, p)
}

// gone takes a party out, and lets the others leave where it was the last inside.
func (s *LocalServer) gone(token uint64, p *localParty) []message {
	delete(s.inside, token)
	g := p.generation
	if g.inside--; g.inside > 0 {
		return nil
	}
	return g.leaving
}
