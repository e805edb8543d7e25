// Package gen makes random histories. It lets clients work on a simulated object, which gives
// valid histories, and it damages valid ones. The fuzzers and benchmarks of package linear use
// it.
package gen

import (
	"math/rand/v2"
	"time"

	"locktorture/checker/linear"
)

// A Config says what kind of history to make.
type Config struct {
	Model      string  // a model of package linear
	Processes  int     // how many work at the same time
	Operations int     // at least so many
	Unknown    float64 // share of operations whose outcome stays unknown
	Tries      float64 // share of acquires that do not wait
	MinStep    int64   // time between two events is MinStep…MaxStep; 0 makes ties
	MaxStep    int64
	Capacity   int     // permits of a semaphore, parties of a barrier, count-downs of a latch
	Stock      int64   // of inventory
	TTL        int64   // of the timed models
	Duplicates bool    // written values repeat
	Reads      float64 // share of reads of an object; 0 means a third
}

// An object is the simulated server.
type object interface {
	// invoke chooses the next operation of a client; false: none now.
	invoke(r *rand.Rand, c *client, o *linear.Operation) bool
	// effect lets the operation happen; false: it has to wait.
	effect(r *rand.Rand, c *client, o *linear.Operation) bool
	// mayDie reports whether a client may die now.
	mayDie(r *rand.Rand, c *client) bool
	// gone takes the death of a client. It returns true if the crash belongs in the history as
	// an End.
	gone(r *rand.Rand, c *client) bool
}

// A client runs one operation after another.
type client struct {
	process  int
	op       linear.Operation
	busy     bool
	happened bool
	holds    int // locks or permits
	shared   bool
	try      bool // does not wait
	token    uint64
	waited   int
}

// History makes a valid history.
func History(r *rand.Rand, cfg Config) []linear.Operation {
	sim := simulation{r: r, cfg: cfg, object: newObject(cfg)}
	return sim.run()
}

type simulation struct {
	r       *rand.Rand
	cfg     Config
	object  object
	now     int64
	clients []client
	born    int
	out     []linear.Operation
}

func (s *simulation) run() []linear.Operation {
	s.out = make([]linear.Operation, 0, s.cfg.Operations+s.cfg.Processes)
	s.clients = make([]client, s.cfg.Processes)
	for i := range s.clients {
		s.clients[i].process = s.born
		s.born++
	}
	for idle := 0; len(s.out) < s.cfg.Operations && idle < 1000*s.cfg.Processes; idle++ {
		before := len(s.out)
		s.now += s.cfg.MinStep + s.r.Int64N(s.cfg.MaxStep-s.cfg.MinStep+1)
		if c, ok := s.object.(clocked); ok {
			c.at(s.now)
		}
		s.step(&s.clients[s.r.IntN(len(s.clients))])
		if len(s.out) > before {
			idle = 0
		}
	}
	for i := range s.clients { // operations still under way have an unknown outcome
		if c := &s.clients[i]; c.busy {
			leave(&c.op)
			s.out = append(s.out, c.op)
		}
	}
	return s.out
}

// A clocked object is told the time.
type clocked interface{ at(now int64) }

func (s *simulation) step(c *client) {
	switch {
	case !c.busy:
		c.op = linear.Operation{Process: c.process, Call: s.now, Line: len(s.out)}
		if !s.object.invoke(s.r, c, &c.op) {
			return
		}
		c.busy, c.happened, c.waited = true, false, 0
	case s.r.Float64() < s.cfg.Unknown/3 && s.object.mayDie(s.r, c): // about three events an operation
		s.die(c)
	case !c.happened:
		c.op.Status = linear.OK
		c.happened = s.object.effect(s.r, c, &c.op)
	default:
		c.op.Return, c.busy = s.now, false
		s.out = append(s.out, c.op)
	}
}

// die leaves the operation without an answer and starts another client.
func (s *simulation) die(c *client) {
	crash := s.object.gone(s.r, c)
	leave(&c.op)
	if crash {
		s.out = append(s.out, c.op)
		s.out = append(s.out, linear.Operation{Process: c.process, Call: s.now, F: linear.End, Token: c.token, Line: len(s.out)})
	} else {
		s.out = append(s.out, c.op)
	}
	*c = client{process: s.born}
	s.born++
}

// leave removes the answer of an operation, so that its outcome is unknown.
func leave(o *linear.Operation) {
	o.Status, o.Number = linear.Pending, 0
	switch o.F {
	case linear.Acquire, linear.Campaign:
		o.Token = 0
	case linear.Read:
		o.Value = ""
	}
}

func newObject(cfg Config) object {
	switch cfg.Model {
	case "rwlock":
		return &permits{cfg: cfg, capacity: 1 << 30, readers: true, sizes: map[int][]int{}}
	case "semaphore":
		return &permits{cfg: cfg, capacity: max(1, cfg.Capacity), sizes: map[int][]int{}}
	case "register", "statemachine":
		return &register{cfg: cfg}
	case "counter", "faa":
		return &sum{cfg: cfg}
	case "inventory":
		return &sum{cfg: cfg, stock: cfg.Stock}
	case "log":
		return &log{}
	case "fenced-store", "replay":
		return &store{cfg: cfg, values: map[string]string{}}
	case "timed-rwlock":
		return &holds{cfg: cfg, capacity: 1 << 30, readers: true}
	case "timed-semaphore":
		return &holds{cfg: cfg, capacity: int64(max(1, cfg.Capacity))}
	case "latch":
		return &latch{cfg: cfg}
	case "barrier":
		return &barrier{cfg: cfg, members: map[int]member{}}
	case "election":
		return &election{cfg: cfg}
	}
	return &lock{cfg: cfg}
}

// Options returns what a check of a history made by cfg has to know.
func (cfg Config) Options() linear.Options {
	return linear.Options{TTL: time.Duration(cfg.TTL), Capacity: cfg.Capacity, Parties: cfg.parties(), Stock: cfg.Stock}
}

// parties returns how many parties a barrier waits for, or how many count-downs a latch needs. A
// barrier never waits for more parties than there are processes: it would stay shut.
func (cfg Config) parties() int {
	if cfg.Model == "barrier" {
		return max(1, min(cfg.Capacity, cfg.Processes))
	}
	return max(1, cfg.Capacity)
}

// reads decides whether the next operation on an object is a read.
func (cfg Config) reads(r *rand.Rand) bool {
	if cfg.Reads == 0 {
		return r.IntN(3) == 0
	}
	return r.Float64() < cfg.Reads
}

// long reports whether a history is long. A long history is spared events that end all
// progress.
func (cfg Config) long() bool { return cfg.Operations >= 1000 }

// rarely decides by chance whether an event happens that ends all progress.
func (cfg Config) rarely(r *rand.Rand) bool { return !cfg.long() && r.IntN(8) == 0 }
