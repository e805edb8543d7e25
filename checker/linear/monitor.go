package linear

import (
	"fmt"

	"locktorture/history"
)

// A Monitor watches locks while a run goes on: it is fed every entry of the
// history in its order and says at the first violation what happened. It takes O(1) time per
// entry. Its memory grows with the clients that are alive, but not with the length of the run.
//
// Linearizability is closed under prefixes, so a violation is final. A history that a monitor
// lets pass, Check lets pass with weak tries. The exception is a token that was granted twice
// with more than recentGrants others in between.
type Monitor struct {
	fenced  bool
	locks   map[string]*watched
	flights map[int]started
	suspect *watched // the lock that has two holders, so far at one stamp only; nil: none
	wrong   *Violation
}

// A Violation is what a monitor saw, with the entries that prove it.
type Violation struct {
	Lock        string
	Explanation string
	Time        int64 // when it was complete, in ns since the start of the run
	Ops         []history.Op
}

// A watched is one lock.
type watched struct {
	name    string
	tenures map[int]history.Op // by process: the grant that it has not given back
	of      holders
	told    map[int]bool // by process: it was told that it lost its grant, but may still hold it
	sure    []history.Op // mutex: the grants surely held now; more than one only within one stamp
	newest  history.Op   // fenced: the grant with the greatest token
	before  history.Op   // fenced: the same, of the grants that returned at an earlier stamp than newest
	recent  map[uint64]history.Op
	ring    []uint64
	next    int
}

// A started is an operation under way.
type started struct {
	f     history.F
	lock  string
	floor history.Op // fenced: the grant with the greatest token that had returned before
}

// recentGrants is how many tokens a monitor remembers of each lock.
const recentGrants = 1 << 12

// NewMonitor returns a monitor for the named model, mutex or fenced.
func NewMonitor(model string) (*Monitor, error) {
	if model != "mutex" && model != "fenced" {
		return nil, fmt.Errorf("there is no monitor for the model %q, only for mutex and fenced", model)
	}
	return &Monitor{fenced: model == "fenced", locks: map[string]*watched{}, flights: map[int]started{}}, nil
}

// Feed takes the next entry. It returns nil as long as there is no violation, and the first
// violation from then on.
func (m *Monitor) Feed(op *history.Op) *Violation {
	if m.wrong != nil {
		return m.wrong
	}
	if s := m.suspect; s != nil && op.Time > s.sure[len(s.sure)-1].Time {
		m.double(s)
		return m.wrong
	}
	switch op.F {
	case history.Acquire, history.Try, history.Renew, history.Release:
		if op.Type == history.Invoke {
			m.invoke(op)
		} else {
			m.complete(op)
		}
	case history.Lost:
		l := m.lock(op.Lock)
		p := l.of.process(op)
		m.leave(l, p)
		l.told[p] = true
	case history.Crash:
		delete(m.flights, op.Process)
		for _, l := range m.locks {
			for _, p := range l.of.died(op) {
				m.leave(l, p)
				delete(l.told, p)
			}
		}
	}
	return m.wrong
}

// End ends the history. It returns the violation, if any.
func (m *Monitor) End() *Violation {
	if m.wrong == nil && m.suspect != nil {
		m.double(m.suspect)
	}
	return m.wrong
}

func (m *Monitor) lock(name string) *watched {
	l := m.locks[name]
	if l == nil {
		l = &watched{name: name, tenures: map[int]history.Op{}, of: holders{}, told: map[int]bool{}, recent: map[uint64]history.Op{}}
		m.locks[name] = l
	}
	return l
}

func (m *Monitor) invoke(op *history.Op) {
	l := m.lock(op.Lock)
	s := started{f: op.F, lock: op.Lock, floor: l.before}
	if op.Time > l.newest.Time {
		s.floor = l.newest
	}
	m.flights[op.Process] = s
	if op.F == history.Release {
		m.unsure(l, l.of.process(op))
	}
}

func (m *Monitor) complete(op *history.Op) {
	s, ok := m.flights[op.Process]
	if !ok || s.f != op.F {
		return // not a valid history; its reader reports that
	}
	delete(m.flights, op.Process)
	l := m.lock(s.lock)
	p := l.of.process(op)
	mine, holds := l.tenures[p]
	defer l.of.completed(op)
	switch {
	case op.Type == history.OK && (op.F == history.Acquire || op.F == history.Try):
		m.granted(l, op, s, mine, holds)
	case op.Type == history.OK && !holds && l.told[p]:
		if op.F == history.Release {
			delete(l.told, p)
		}
	case op.Type == history.OK && !holds:
		m.fail(l, fmt.Sprintf("process %d completes a %s without a grant", op.Process, op.F), op)
	case op.Type == history.OK:
		if m.fenced && op.Token != 0 && op.Token != mine.Token {
			m.fail(l, fmt.Sprintf("a %s succeeds with token %d, but its lease has another token", op.F, op.Token), &mine, op)
		}
		if m.fenced && mine.Token < s.floor.Token {
			m.fail(l, fmt.Sprintf("a %s under token %d succeeds after token %d was granted", op.F, mine.Token, s.floor.Token), &s.floor, op)
		}
		if op.F == history.Release {
			m.leave(l, p)
		}
	case op.F == history.Acquire, op.F == history.Try, op.F == history.Renew && (op.Type != history.Fail || op.Refused != history.ByServer):
	case holds && !m.fenced && op.Type == history.Fail && op.Refused == history.ByServer:
		m.fail(l, fmt.Sprintf("process %d is answered \"not held\", though it was granted the lock", op.Process), &mine, op)
	default:
		m.leave(l, p)
	}
}

func (m *Monitor) granted(l *watched, op *history.Op, s started, mine history.Op, holds bool) {
	delete(l.told, op.Process)
	if !m.fenced {
		if holds {
			m.fail(l, fmt.Sprintf("process %d is granted the lock that it already holds", op.Process), &mine, op)
			return
		}
		l.keep(op)
		if l.sure = append(l.sure, *op); len(l.sure) > 1 {
			m.suspect = l
		}
		return
	}
	if twin, ok := l.recent[op.Token]; ok || op.Token == 0 {
		m.fail(l, fmt.Sprintf("token %d is granted to process %d, but it is not a new token", op.Token, op.Process), &twin, op)
		return
	}
	if op.Token <= s.floor.Token {
		m.fail(l, fmt.Sprintf("token %d is granted after token %d, which is not smaller", op.Token, s.floor.Token), &s.floor, op)
		return
	}
	l.keep(op)
	l.remember(op)
}

// keep notes a grant.
func (l *watched) keep(op *history.Op) {
	l.tenures[op.Process] = *op
	l.of.granted(op)
}

// remember keeps the greatest token, and the latest ones.
func (l *watched) remember(op *history.Op) {
	if op.Time > l.newest.Time {
		l.before = l.newest
	}
	if op.Token > l.newest.Token {
		l.newest = *op
	} else {
		l.newest.Time = op.Time // the greatest token stands at this stamp too
	}
	if len(l.ring) < recentGrants {
		l.ring = append(l.ring, op.Token)
	} else {
		delete(l.recent, l.ring[l.next])
		l.ring[l.next] = op.Token
		l.next = (l.next + 1) % recentGrants
	}
	l.recent[op.Token] = *op
}

// leave ends what a process holds.
func (m *Monitor) leave(l *watched, process int) {
	m.unsure(l, process)
	delete(l.tenures, process)
}

// unsure notes that a process may not hold the lock any longer.
func (m *Monitor) unsure(l *watched, process int) {
	for i := range l.sure {
		if l.sure[i].Process == process {
			l.sure = append(l.sure[:i], l.sure[i+1:]...)
			break
		}
	}
	if m.suspect == l && len(l.sure) < 2 {
		m.suspect = nil
	}
}

func (m *Monitor) double(l *watched) {
	a, b := &l.sure[0], &l.sure[len(l.sure)-1]
	m.fail(l, fmt.Sprintf("process %d is granted the lock while process %d surely holds it since %d", b.Process, a.Process, a.Time), a, b)
}

func (m *Monitor) fail(l *watched, explanation string, ops ...*history.Op) {
	if m.wrong != nil {
		return
	}
	m.wrong = &Violation{Lock: l.name, Explanation: explanation}
	for _, op := range ops {
		if op.Lock != "" || op.F != "" {
			m.wrong.Ops = append(m.wrong.Ops, *op)
			m.wrong.Time = max(m.wrong.Time, op.Time)
		}
	}
}
