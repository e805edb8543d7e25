package checker_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"locktorture/checker"
	"locktorture/history"
)

// A simulation makes a history by letting clients take steps at random.
type simulation struct {
	r       *rand.Rand
	o       checker.Options
	h       history.History
	now     int64
	lease   int64
	token   uint64
	apply   int64
	process map[int]int
	clients []*player
	owner   map[string]int // by lock: the client that the server thinks has it
	values  map[string]int
	fault   int
	healing int // number of the fault in place
	struck  history.Op
}

type player struct {
	n      int
	todo   []func()    // the completion of what is under way comes first
	flying *history.Op // what is under way
	held   *history.Op // the grant
	paused bool
}

func (s *simulation) add(op history.Op) history.Op {
	if s.r.IntN(4) > 0 { // else at the same stamp
		s.now += s.r.Int64N(20 * ms)
	}
	op.Time = s.now
	s.h = append(s.h, op)
	return op
}

// wild makes a history of three clients and two locks.
func wild(r *rand.Rand, o checker.Options) history.History {
	s := &simulation{r: r, o: o, process: map[int]int{}, owner: map[string]int{}, values: map[string]int{}}
	for n := 1; n <= 4; n++ {
		s.clients = append(s.clients, &player{n: n})
		s.process[n] = n
	}
	for _, lock := range []string{"A", "B"} {
		for _, store := range []string{plain, fencedS} {
			s.apply++
			op := history.Op{Process: history.Harness, F: history.Write, Type: history.Invoke, Lock: lock, Store: store, Key: lock + "/counter", Value: "0"}
			s.add(op)
			op.Type, op.Apply = history.OK, s.apply
			s.add(op)
		}
	}
	broken := r.IntN(3) // how bad the lock is
	for len(s.h) < 100+r.IntN(1500) {
		p := s.clients[r.IntN(len(s.clients))]
		switch x := r.IntN(100); {
		case x < 3:
			s.probe(broken)
		case x < 4:
			s.disturb()
		case x == 4 && r.IntN(20) == 0:
			s.now += int64(4 * time.Second) // nothing happens for a while
		case p.paused:
		case len(p.todo) > 0:
			do := p.todo[0]
			p.todo = p.todo[1:]
			do()
		case p.held == nil:
			s.acquire(p, broken)
		default:
			s.act(p, broken)
		}
	}
	return ended(s.h, history.Complete)
}

func (s *simulation) op(p *player, f history.F) history.Op {
	return history.Op{Process: s.process[p.n], Client: p.n, F: f}
}

// start invokes an operation, which ends when the client has its turn again.
func (s *simulation) start(p *player, op history.Op, end func(op history.Op)) {
	op.Type = history.Invoke
	op = s.add(op)
	p.flying = &op
	p.todo = append(p.todo, func() {
		p.flying = nil
		end(op)
	})
}

// lostReply ends an operation with an unknown outcome, now and then.
func (s *simulation) lostReply(p *player, op history.Op) bool {
	if s.r.IntN(60) > 0 {
		return false
	}
	op.Type = history.Info
	s.add(op)
	s.process[p.n] += 100
	return true
}

func (s *simulation) acquire(p *player, broken int) {
	op := s.op(p, history.Acquire)
	op.Lock = []string{"A", "B"}[s.r.IntN(2)]
	if s.r.IntN(4) == 0 {
		op.F = history.Try
	}
	s.start(p, op, func(op history.Op) {
		if s.lostReply(p, op) {
			return
		}
		free := s.owner[op.Lock] == 0 || broken > 0 && s.r.IntN(30) == 0 || s.o.Kind != "" && s.r.IntN(3) == 0
		if !free {
			op.Type, op.Refused = history.Fail, history.ByServer
			if s.r.IntN(10) == 0 {
				op.Refused = history.ByClient
			}
			s.add(op)
			return
		}
		s.owner[op.Lock] = p.n
		s.lease++
		s.token++
		op.Type, op.Lease = history.OK, s.lease
		if s.o.Tokens {
			if op.Token = s.token; broken > 1 && s.r.IntN(30) == 0 {
				op.Token = max(1, s.token-uint64(s.r.IntN(9)))
			}
		}
		op.Value = fmt.Sprintf("p%d:%d", op.Process, s.lease)
		if s.o.Model == "lease" && p.n == 1 {
			op.Value = fmt.Sprintf("p%d:session", op.Process)
		}
		op = s.add(op)
		p.held = &op
		if s.o.Bounded {
			s.ask(p, op)
		}
	})
}

func (s *simulation) under(p *player, grant history.Op, f history.F) history.Op {
	op := s.op(p, f)
	op.Lock, op.Lease, op.Token = grant.Lock, grant.Lease, grant.Token
	return op
}

func (s *simulation) ask(p *player, grant history.Op) {
	s.start(p, s.under(p, grant, history.Ask), func(op history.Op) {
		if s.lostReply(p, op) {
			return
		}
		op.Type, op.UntilMin, op.UntilMax = history.OK, op.Time+int64(s.o.TTL), s.now+int64(s.o.TTL)
		if s.r.IntN(40) == 0 {
			op.Type, op.Refused, op.UntilMin, op.UntilMax = history.Fail, history.ByClient, 0, 0
		} else if s.r.IntN(60) == 0 { // it claims to be valid for longer than the servers keep it
			op.UntilMin, op.UntilMax = op.UntilMin+int64(s.o.TTL), op.UntilMax+int64(s.o.TTL)
		}
		s.add(op)
	})
}

func (s *simulation) act(p *player, broken int) {
	grant := *p.held
	switch s.r.IntN(8) {
	case 0:
		if s.o.Bounded {
			s.ask(p, grant)
		}
	case 1:
		s.start(p, s.under(p, grant, history.Renew), func(op history.Op) {
			if !s.lostReply(p, op) {
				op.Type = history.OK
				s.add(op)
			}
		})
	case 2:
		if s.o.Watched && s.r.IntN(4) == 0 {
			op := s.under(p, grant, history.Lost)
			op.Type = history.Info
			s.add(op)
			s.owner[grant.Lock] = 0
		}
	case 3, 4:
		s.release(p, grant, broken)
	default:
		s.access(p, grant)
	}
}

func (s *simulation) release(p *player, grant history.Op, broken int) {
	s.start(p, s.under(p, grant, history.Release), func(op history.Op) {
		p.held = nil
		if s.lostReply(p, op) {
			return
		}
		op.Type = history.OK
		if s.owner[grant.Lock] != p.n && (broken == 0 || s.r.IntN(2) == 0) {
			op.Type, op.Refused = history.Fail, history.ByServer
		} else if s.r.IntN(40) > 0 {
			s.owner[grant.Lock] = 0
		}
		s.add(op)
		if s.r.IntN(40) == 0 { // it goes on all the same
			s.access(p, grant)
		} else if s.r.IntN(60) == 0 {
			s.release(p, grant, broken)
		}
	})
}

func (s *simulation) access(p *player, grant history.Op) {
	op := s.under(p, grant, history.Read)
	if op.Store = plain; s.o.Tokens && s.r.IntN(2) == 0 {
		op.Store = fencedS
	}
	op.Key = grant.Lock + "/counter"
	if s.r.IntN(2) == 0 {
		op.F = history.Write
		op.Value = fmt.Sprint(s.values[op.Store+op.Key] + 1 - s.r.IntN(20)/19)
	}
	s.start(p, op, func(op history.Op) {
		if op.Store == fencedS && s.r.IntN(15) == 0 {
			op.Type, op.Refused = history.Fail, history.ByStore
			s.add(op)
			return
		}
		if s.r.IntN(400) == 0 && s.lostReply(p, op) {
			return
		}
		s.apply++
		op.Type, op.Apply = history.OK, s.apply
		name := op.Store + op.Key
		if op.F == history.Write {
			s.values[name], _ = strconv.Atoi(op.Value)
		} else if op.Value = fmt.Sprint(s.values[name]); s.r.IntN(300) == 0 {
			op.Value = "7777"
		}
		s.add(op)
	})
}

// probe looks at a server.
func (s *simulation) probe(broken int) {
	lock := []string{"A", "B"}[s.r.IntN(2)]
	if s.o.Model == "mutex" || s.o.TTL == 0 {
		return
	}
	op := history.Op{Process: history.Harness, Type: history.Info, F: history.Probe, Lock: lock, Node: "n1"}
	for i := len(s.h) - 1; i >= 0 && s.owner[lock] != 0; i-- {
		if g := s.h[i]; g.Type == history.OK && g.Lease != 0 && g.Lock == lock && (g.F == history.Acquire || g.F == history.Try) {
			op.Value, op.UntilMax = g.Value, s.now+int64(s.o.TTL)
			break
		}
	}
	for range 1 + s.r.IntN(1+3*broken) { // the same again, later
		s.now += 480 * ms * int64(broken)
		if op.UntilMax != 0 {
			op.UntilMax = s.now + int64(s.o.TTL)
		}
		s.add(op)
	}
}

// disturb begins or ends a fault.
func (s *simulation) disturb() {
	if s.healing > 0 {
		op := s.struck
		op.F = history.Heal
		s.add(op)
		s.healing = 0
		for _, p := range s.clients {
			p.paused = false
		}
		return
	}
	s.fault++
	p := s.clients[s.r.IntN(len(s.clients))]
	op := history.Op{Process: history.Nemesis, Type: history.Info, F: history.Fault, Fault: s.fault, Client: p.n, Node: fmt.Sprintf("c%d", p.n), Key: "pause"}
	switch s.r.IntN(3) {
	case 0:
		op.Key = killed
		crash := s.op(p, history.Crash)
		crash.Type, crash.UntilMin = history.Info, s.now
		s.add(crash)
		if end := p.flying; end != nil && s.r.IntN(3) > 0 { // after the crash; or never
			end.Type = history.Info
			s.add(*end)
		}
		p.todo, p.held, p.flying = nil, nil, nil
		s.process[p.n] += 100
	case 1:
		op.Key, op.Client, op.Node = "partition", 0, "n1"
	default:
		p.paused = true
	}
	s.struck = s.add(op)
	s.healing = s.fault
}
