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

// wire says whether the traffic is recorded.
func (c Config) wire(s Servers) string {
	switch {
	case s.Cluster == nil || len(s.Ways()) == 0:
		return ""
	case c.Wire == 0:
		return report.WireOff
	case s.Access != nil && s.Access.TLS != nil:
		return report.WireTLS
	}
	return report.WireRecorded
}

// tap begins to record the traffic, on the clock of the history.
func (t *trial) tap() (*tape.Tape, error) {
	if t.run.Wire != report.WireRecorded {
		return nil, nil
	}
	c := t.setting.Servers.Cluster
	tp, err := tape.New(tape.Config{
		Path: t.setting.Dir.File(WireFile), Links: wireLinks(c), Limit: t.cfg.Wire, Now: t.rec.now,
		Blank: func(protocol string) tape.Blanker {
			return blank.Known(blank.For(protocol), t.cfg.Secrets.User, t.cfg.Secrets.Password)
		},
	})
	if err != nil {
		return nil, err
	}
	c.Tap(tp.On)
	return tp, nil
}

// untap ends the recording.
func (t *trial) untap() error {
	if t.tape == nil {
		return nil
	}
	t.setting.Servers.Tap(nil)
	return t.tape.Close()
}

// wireLinks describes the links of a cluster. What nodes say to each other is recorded and not
// decoded.
func wireLinks(c *cluster.Cluster) (links []tape.Link) {
	name := func(node int) string {
		if node < 0 || node >= len(c.Nodes) {
			return ""
		}
		return c.Nodes[node].Name()
	}
	for _, w := range c.Ways() {
		l := tape.Link{Client: w.Client, From: name(w.From), To: name(w.To)}
		if w.Client > 0 {
			l.Protocol = wire.ProtocolOf(name(max(w.To, 0))) // a virtual endpoint leads to nodes of one kind
		}
		links = append(links, l)
	}
	return links
}

// traced tells the tape which process a client works under.
func (t *trial) traced(record func(history.Op) (history.Op, error)) func(history.Op) (history.Op, error) {
	if t.tape == nil {
		return record
	}
	return func(op history.Op) (history.Op, error) {
		if op.Client > 0 {
			t.tape.Process(op.Client, op.Process)
		}
		return record(op)
	}
}

// What is kept around a violation: so long before its first operation and after it was seen,
// but not more than so long before.
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
