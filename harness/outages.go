package harness

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"locktorture/nemesis"
)

// A Watched is a server that may fail by itself and can be asked for its state.
type Watched interface {
	// Look returns nil if the server can be used, or else a short reason why not. The harness makes
	// one call at a time.
	Look(ctx context.Context) error
}

// A Spared is a Watched that may have to be asked less often, for example because its service charges
// for each request.
type Spared interface {
	Watched
	// LookEvery returns the interval between two looks. 0 means the default, lookEvery.
	LookEvery() time.Duration
}

// Outage is the kind of a fault that the harness did not inject: a server became unusable.
const Outage = "outage"

const (
	// outageNumbers is added to the numbers of outages. A schedule has fewer faults than this.
	outageNumbers = 1 << 20

	lookEvery  = 100 * time.Millisecond
	lookTick   = 10 * time.Millisecond
	slowAnswer = 250 * time.Millisecond // the delay per request that a verdict allows
	noAnswer   = time.Second            // bound on one look; the next one may open a new connection
	noSooner   = time.Second            // the least time between two records with different reasons
)

// unanswered is the recorded reason for a server that does not answer.
const unanswered = "no answer"

// An outlook holds the present state of one server.
type outlook struct {
	run   *Run
	node  int // index in World.Nodes
	look  func(ctx context.Context) error
	every time.Duration // interval between two looks
	tick  time.Duration // lookTick; tests make it longer, as if the harness were stalled
	good  int64         // time at which the latest look with a timely answer was sent
	late  int           // number of successive looks without a timely answer
	step  *nemesis.Step // the outage in place; nil if none
	why   string
	since time.Time
}

// watchServers looks at the servers that implement Watched until ctx ends.
func (r *Run) watchServers(ctx context.Context) {
	for i, n := range r.cfg.World.Nodes {
		if w, ok := n.(Watched); ok {
			o := &outlook{run: r, node: i, look: w.Look, every: lookEvery, tick: lookTick, good: r.cfg.Now()}
			if s, ok := n.(Spared); ok {
				o.every = cmp.Or(s.LookEvery(), lookEvery)
			}
			r.watches.Go(func() { o.watch(ctx) })
		}
	}
}

func (o *outlook) watch(ctx context.Context) {
	for ctx.Err() == nil {
		if again := o.once(ctx); !again {
			sleep(ctx, o.every)
		}
	}
}

// once looks at the server once and records a change. again is true after a late answer, because a
// server that resumes after a standstill also answers old requests.
func (o *outlook) once(ctx context.Context) (again bool) {
	asked, sent := o.run.cfg.Now(), time.Now()
	limit, cancel := context.WithTimeout(ctx, noAnswer)
	defer cancel()
	answer := make(chan error, 1)
	go func() { answer <- o.look(limit) }()
	waited, err := o.await(answer)
	took, stalled := time.Since(sent), waited < slowAnswer
	switch {
	case ctx.Err() != nil: // the look was cut short
		return false
	case err != nil && (limit.Err() == nil || !stalled):
		o.late = 0
		o.failed(err.Error())
		return false
	case err == nil && took < slowAnswer:
		o.late, o.good = 0, asked
		o.recovered()
		return false
	}
	o.late++
	switch {
	case o.late == 1, o.late == 2 && stalled: // a stall of the harness may have delayed two looks
	case err != nil:
		o.failed(unanswered)
	default:
		o.failed(fmt.Sprintf("round trip of %v", took.Round(lookTick)))
	}
	return true
}

// await waits for the answer to a look and returns the time it took. It counts ticks, so that a
// stall of the harness is not mistaken for a silent server. A harness that lacks CPU time for long
// counts too few ticks.
func (o *outlook) await(answer <-chan error) (waited time.Duration, err error) {
	tick := time.NewTicker(o.tick)
	defer tick.Stop()
	for {
		select {
		case err := <-answer:
			return waited, err
		case <-tick.C:
			if waited += lookTick; waited == slowAnswer && o.step == nil {
				o.failed(unanswered)
			}
		}
	}
}

// failed records that the server is unusable, or that the reason has changed.
func (o *outlook) failed(why string) {
	if o.step != nil && (why == o.why || time.Since(o.since) < noSooner) {
		return
	}
	o.recovered()
	o.step = &nemesis.Step{Fault: Outage, Nodes: []int{o.node}}
	o.why, o.since = why, time.Now()
	o.run.faults.outage(o.step, o.good, why)
}

// recovered records that the server can be used again.
func (o *outlook) recovered() {
	if o.step == nil {
		return
	}
	o.run.faults.Healed(*o.step)
	o.step = nil
	o.run.tail.doubt() // clients that waited meanwhile could not be served, so the tail is prolonged
}
