package gen

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"locktorture/checker/linear"
)

// A register holds a string; as a state machine it walks from state to state.
type register struct {
	cfg   Config
	value string
	wrote int
}

func (g *register) invoke(r *rand.Rand, _ *client, o *linear.Operation) bool {
	switch read := g.cfg.reads(r); {
	case g.cfg.Model == "statemachine" && !read:
		o.F, o.Expect = linear.CAS, fmt.Sprintf("s%d", g.wrote)
		o.Value = fmt.Sprintf("s%d", g.wrote+1)
		if g.wrote == 0 {
			o.Expect = ""
		}
	case !read:
		g.wrote++
		o.F, o.Value = linear.Write, fmt.Sprint(g.wrote)
		if g.cfg.Duplicates {
			o.Value = fmt.Sprint(r.IntN(3))
		}
	default:
		o.F = linear.Read
	}
	return true
}

func (g *register) effect(_ *rand.Rand, _ *client, o *linear.Operation) bool {
	switch {
	case o.F == linear.Read:
		o.Value = g.value
	case o.F == linear.CAS && o.Expect != g.value:
		o.Status = linear.Refused
	case o.F == linear.CAS:
		g.wrote++
		g.value = o.Value
	default:
		g.value = o.Value
	}
	return true
}

func (g *register) gone(*rand.Rand, *client) bool { return false }

func (*register) mayDie(*rand.Rand, *client) bool { return true }

// A sum counts: blind additions, fetch-and-add, or sales from a stock.
type sum struct {
	cfg   Config
	n     int64
	stock int64
}

func (s *sum) invoke(r *rand.Rand, _ *client, o *linear.Operation) bool {
	switch {
	case s.cfg.reads(r):
		o.F = linear.Read
	case s.cfg.Model == "counter":
		o.F, o.Delta = linear.Add, 1
	case s.cfg.Model == "faa":
		o.F, o.Delta = linear.FetchAdd, 1
	default:
		o.F = linear.Sell
	}
	return true
}

func (s *sum) effect(_ *rand.Rand, _ *client, o *linear.Operation) bool {
	switch {
	case o.F == linear.Read && s.cfg.Model == "inventory":
		o.Number = s.stock - s.n
	case o.F == linear.Read, o.F == linear.FetchAdd:
		o.Number = s.n
	case o.F == linear.Sell && s.n == s.stock:
		o.Status = linear.Refused
		return true
	}
	if o.F != linear.Read {
		s.n++
	}
	return true
}

func (s *sum) gone(*rand.Rand, *client) bool { return false }

func (*sum) mayDie(*rand.Rand, *client) bool { return true }

// A log is appended to and read as a whole.
type log struct {
	n      int
	values []string
}

func (l *log) invoke(r *rand.Rand, _ *client, o *linear.Operation) bool {
	if r.IntN(2) == 0 {
		o.F = linear.Read
		return true
	}
	l.n++
	o.F, o.Value = linear.Append, fmt.Sprint(l.n)
	return true
}

func (l *log) effect(_ *rand.Rand, _ *client, o *linear.Operation) bool {
	if o.F == linear.Read {
		o.Value = strings.Join(l.values, ",")
		return true
	}
	l.values = append(l.values, o.Value)
	return true
}

func (l *log) gone(*rand.Rand, *client) bool { return false }

func (*log) mayDie(*rand.Rand, *client) bool { return true }

// A store refuses tokens that are older than its mark. Its clients take a
// new token now and then.
type store struct {
	cfg    Config
	tokens uint64
	mark   uint64
	wrote  int
	values map[string]string
}

func (s *store) invoke(r *rand.Rand, c *client, o *linear.Operation) bool {
	if c.token == 0 || r.IntN(4) == 0 {
		s.tokens++
		c.token = s.tokens
	}
	o.Token, o.Key = c.token, []string{"a", "b"}[r.IntN(2)]
	o.F = linear.Read
	if r.IntN(2) == 0 {
		s.wrote++
		o.F, o.Value = linear.Write, fmt.Sprint(s.wrote)
	}
	return true
}

func (s *store) effect(_ *rand.Rand, _ *client, o *linear.Operation) bool {
	if o.Token < s.mark {
		o.Status = linear.Refused
		return true
	}
	s.mark = o.Token
	if o.F == linear.Read {
		o.Value = s.values[o.Key]
	} else {
		s.values[o.Key] = o.Value
	}
	return true
}

func (s *store) gone(*rand.Rand, *client) bool { return false }

func (*store) mayDie(*rand.Rand, *client) bool { return true }
