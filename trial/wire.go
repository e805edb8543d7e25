package trial

import (
	"time"

	"locktorture/checker"
	"locktorture/cluster"
	"locktorture/history"
	"locktorture/report"
	"locktorture/wire"
	"locktorture/wire/blank"
	"locktorture/wire/tape"
)

// WireFile is the name of the recording of the traffic in a run directory.
const WireFile = "wire.bin"

// wire returns the state of the traffic's recording for run.json: recorded, off, or impossible
// under TLS; "" if there are no links.
func (c Config) wire(s Servers) string {
	switch {
	case s.Cluster == nil || len(s.lines().Lines()) == 0:
		return ""
	case c.Wire == 0:
		return report.WireOff
	case s.Access != nil && s.Access.TLS != nil:
		return report.WireTLS
	}
	return report.WireRecorded
}

// Lines are links whose traffic can be recorded.
type Lines interface {
	Lines() []Line
	// Tap passes all later traffic to the taps that on returns; line is an index of Lines. A nil on
	// removes the taps.
	Tap(on func(line int) cluster.Tap)
}

// A Line is one link.
type Line struct {
	Client   int    // the client that opens its connections, from 1; 0: a node
	From, To string // names of nodes; From is "" for a client, To is "" for a virtual endpoint
}

// lines returns the links over which the servers are reached.
func (s Servers) lines() Lines {
	if s.Lines != nil {
		return s.Lines
	}
	return links{s.Cluster}
}

// links adapts the links of a cluster to Lines.
type links struct{ *cluster.Cluster }

// Lines implements Lines.
func (l links) Lines() (list []Line) {
	name := func(node int) string {
		if node < 0 || node >= len(l.Nodes) {
			return ""
		}
		return l.Nodes[node].Name()
	}
	for _, w := range l.Ways() {
		list = append(list, Line{Client: w.Client, From: name(w.From), To: name(w.To)})
	}
	return list
}

// wireFits returns an error if the bound of the recording is too small for the number of links.
func (t *trial) wireFits() error {
	if !t.cfg.WireAsked || t.cfg.Wire == 0 {
		return nil
	}
	n := len(t.setting.Servers.lines().Lines())
	if least := tape.Least(n); t.cfg.Wire < least {
		return refuse("wire", " %d: the run has %d links; to record them, at least %d MB are needed; choose off to record nothing", t.cfg.Wire>>20, n, (least+1<<20-1)>>20)
	}
	return nil
}

// observed reports whether someone besides the recording observes the traffic.
func (l Lock) observed() bool { return l.Names != nil || l.Tap != nil }

// tap starts to record the traffic, on the clock of the history, and to collect from it the names of
// owners and what an act looks for.
func (t *trial) tap() (tp *tape.Tape, err error) {
	lock := t.setting.Lock
	if t.run.Wire != report.WireRecorded && !lock.observed() {
		return nil, nil
	}
	lines := t.setting.Servers.lines()
	if t.run.Wire == report.WireRecorded {
		if tp, err = t.newTape(lines); err != nil {
			return nil, err
		}
	}
	list := lines.Lines()
	lines.Tap(func(line int) cluster.Tap {
		var on cluster.Tap
		if tp != nil {
			on = tp.On(line)
		}
		if client := list[line].Client; client > 0 {
			on = wire.Both(wire.Both(on, lock.Names.Tap(client)), lock.Tap)
		}
		return on
	})
	return tp, nil
}

// newTape begins a recording.
func (t *trial) newTape(lines Lines) (*tape.Tape, error) {
	return tape.New(tape.Config{
		Path: t.setting.Dir.File(WireFile), Links: t.wireLinks(lines), Limit: t.cfg.Wire, Now: t.rec.now,
		Blank: func(protocol string) tape.Blanker {
			return blank.Known(blank.For(protocol), t.cfg.Secrets.All()...)
		},
	})
}

// untap ends the recording.
func (t *trial) untap() error {
	if t.tape == nil && !t.setting.Lock.observed() {
		return nil
	}
	t.setting.Servers.lines().Tap(nil)
	if t.tape == nil {
		return nil
	}
	return t.tape.Close()
}

// wireLinks describes lines for the recording. Traffic between nodes is recorded but not decoded.
// All nodes behind a virtual endpoint are of one kind, so the first node determines the protocol.
func (t *trial) wireLinks(lines Lines) (links []tape.Link) {
	for _, w := range lines.Lines() {
		l := tape.Link{Client: w.Client, From: w.From, To: w.To}
		if w.Client > 0 {
			node := w.To
			if node == "" && len(t.run.Nodes) > 0 {
				node = t.run.Nodes[0]
			}
			l.Protocol = wire.ProtocolOf(node)
		}
		links = append(links, l)
	}
	return links
}

// named replaces owner values in the history by the names of their processes.
func (t *trial) named(record func(history.Op) (history.Op, error)) func(history.Op) (history.Op, error) {
	names := t.setting.Lock.Names
	if names == nil {
		return record
	}
	return func(op history.Op) (history.Op, error) { return record(names.Named(op)) }
}

// traced informs the tape of the process under which a client works.
func (t *trial) traced(record func(history.Op) (history.Op, error)) func(history.Op) (history.Op, error) {
	if t.tape == nil {
		return record
	}
	return func(op history.Op) (history.Op, error) {
		if op.Client > 0 && op.Process >= 0 { // a fault carries the number of the client that it strikes
			t.tape.Process(op.Client, op.Process)
		}
		return record(op)
	}
}

// The times around a violation for which traffic is kept, in ns. aroundViolation counts back from
// the first operation of the witness, and on from the time at which the checker noticed the
// violation. beforeViolation is the longest time before the violation.
const (
	aroundViolation = int64(time.Second)
	beforeViolation = int64(5 * time.Second)
)

// keep keeps the traffic near a violation.
func (t *trial) keep(a checker.Anomaly) {
	if t.tape == nil {
		return
	}
	from := a.Time
	for _, op := range a.Ops {
		from = min(from, op.Time)
	}
	t.tape.Keep(max(from-aroundViolation, a.Time-beforeViolation), t.rec.now()+aroundViolation)
}
