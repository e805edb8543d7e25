package simulate

import (
	"fmt"
	"slices"

	"locktorture/nemesis/points/schedule"
	"locktorture/simulate/inside"
	"locktorture/trial"
)

// A plan holds the faults of the schedule. It counts the points at which they strike.
type plan struct {
	striking bool // faults can strike
	blows    []*blow
	due      map[schedule.Point][]*blow
	gates    int                    // number of decisions at gates that were not reached yet
	counts   map[schedule.Point]int // number of times that each point, without ordinal, was reached
	points   []Point                // the points so far, in order
}

func newPlan() plan {
	return plan{due: map[schedule.Point][]*blow{}, counts: map[schedule.Point]int{}}
}

// add adds a fault.
func (p *plan) add(b *blow) {
	p.blows = append(p.blows, b)
	p.due[b.At] = append(p.due[b.At], b)
	if b.At.Kind == schedule.Gate {
		p.gates++
	}
}

// reach counts a point and returns the faults planned for it.
func (p *plan) reach(at schedule.Point, now int64) []*blow {
	p.counts[at]++
	at.Ordinal = p.counts[at]
	p.points = append(p.points, Point{at, now})
	if at.Kind == schedule.Gate {
		p.gates -= len(p.due[at])
	}
	return p.due[at]
}

// prepare plans the faults of the schedule. It returns a RefusedError if the run cannot have
// one of them.
func (w *world) prepare() error {
	err := w.cfg.Schedule.Check(w.cfg.Order.Clients, len(w.servers.all))
	if err == nil {
		err = w.possible()
	}
	if err != nil {
		return &trial.RefusedError{Why: err.Error()}
	}
	w.res.Struck = make([]Strike, len(w.cfg.Schedule))
	for i, d := range w.cfg.Schedule {
		w.res.Struck[i] = Strike{Decision: d, At: Never, Healed: Never}
		w.plan.add(&blow{w: w, Decision: d, number: i + 1, res: &w.res.Struck[i]})
	}
	return nil
}

// possible returns an error for a fault of the schedule that the servers cannot have. Single
// servers have no faults of clusters. A cluster has no restart that loses data. Jumps of a
// clock do not affect etcd.
func (w *world) possible() error {
	if w.cfg.Cluster == nil {
		i := slices.IndexFunc(w.cfg.Schedule, func(d schedule.Decision) bool { return d.Leader || schedule.Forms()[d.Kind].Cluster })
		if i >= 0 {
			return fmt.Errorf("fault %d, %q: only servers of a cluster can have this fault", i+1, w.cfg.Schedule[i])
		}
		return nil
	}
	for i, d := range w.cfg.Schedule {
		switch {
		case d.Lost:
			return fmt.Errorf("fault %d, %q: a cluster does not take back a server that has lost its data", i+1, d)
		case schedule.Forms()[d.Kind].Etcd && w.cfg.Order.Cluster() != inside.Etcd:
			return fmt.Errorf("fault %d, %q: only etcd supports %s", i+1, d, d.Kind)
		case d.Kind == schedule.Clock && w.cfg.Order.Cluster() == inside.Etcd:
			return fmt.Errorf("fault %d, %q: etcd's leases run on the monotonic clock, which no fault moves", i+1, d)
		}
	}
	return nil
}

// hush lets the harness pass its gates without waiting for an answer, once the schedule has no
// more faults at gates.
func (w *world) hush() { w.harness.proc.Quiet = w.plan.gates == 0 && w.cfg.Order.Script == nil }

// stopsAmid reports whether a fault may stop a client, or move its clock, at a write.
func (w *world) stopsAmid(client int) bool {
	return slices.ContainsFunc(w.cfg.Schedule, func(d schedule.Decision) bool {
		amid := d.Kind == schedule.Pause || d.Kind == schedule.Kill || d.Kind == schedule.Skew
		return amid && d.At.Client == client && d.At.Kind == schedule.Send
	})
}

// point counts a point and strikes the faults planned for it. It reports whether there were any.
func (w *world) point(at schedule.Point, s site) (struck bool) {
	if !w.plan.striking {
		return false
	}
	due := w.plan.reach(at, w.clock.time())
	if s.m != nil {
		w.net.holdArmed(s.m)
	}
	for _, b := range due {
		b.strike(s)
	}
	if at.Kind == schedule.Gate {
		w.hush()
	}
	return len(due) > 0
}

// gate reaches the point before a step of a client. It returns true if the client must wait there
// for its Go.
func (w *world) gate(client int, step string) bool {
	struck := w.point(schedule.Point{Client: client, Kind: schedule.Gate, What: step}, site{client: w.drivers[client]})
	if struck {
		w.tell(inside.Message{Go: client})
	}
	return struck
}

// over ends the phase with faults.
func (w *world) over() {
	w.plan.striking = false
	for _, b := range w.plan.blows {
		b.end()
	}
	w.tell(inside.Message{Over: true})
}
