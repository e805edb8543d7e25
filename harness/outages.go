package harness

import (
	"context"
	"fmt"
	"time"

	"locktorture/history"
	"locktorture/nemesis"
)

// A Watched is a server that may fail by itself, and can be asked whether it has.
type Watched interface {
	// Look returns in few words why the server cannot be used, as it is now; nil: it can. One
	// calls it at a time.
	Look(ctx context.Context) error
}

// Outage is the kind of the faults that nobody injected: a server cannot be used.
const Outage = "outage"

const (
	// outageNumbers is what the numbers of outages begin after. A schedule has fewer faults.
	outageNumbers = 1 << 20

	lookEvery  = 100 * time.Millisecond
	lookTick   = 10 * time.Millisecond
	slowAnswer = 250 * time.Millisecond // what a verdict allows a lock for its way, and no more
	noAnswer   = time.Second            // then another connection is tried
	noSooner   = time.Second            // than so long after one reason for an outage another is recorded
)

// unanswered is why a server cannot be used that does not answer.
const unanswered = "no answer"

// An outlook is what is known of whether one server can be used.
type outlook struct {
	run   *Run
	node  int // its index
	look  func(ctx context.Context) error
	good  int64         // when a look was called that was answered in time
	late  int           // answers in a row that came late
	step  *nemesis.Step // the outage in place; nil: none
	why   string
	since time.Time
}

// watchServers begins to look at the servers that can be asked, until ctx ends.
func (r *Run) watchServers(ctx context.Context) {
	for i, n := range r.cfg.World.Nodes {
		if w, ok := n.(Watched); ok {
			o := &outlook{run: r, node: i, look: w.Look, good: r.cfg.Now()}
			r.watches.Go(func() { o.watch(ctx) })
		}
	}
}

func (o *outlook) watch(ctx context.Context) {
	for ctx.Err() == nil {
		if again := o.once(ctx); !again {
			sleep(ctx, lookEvery)
		}
	}
}

// once looks once, and records what has changed. Who has answered late is to be asked again at
// once: a server that goes on after a standstill answers what it was asked before, too.
func (o *outlook) once(ctx context.Context) (again bool) {
	asked := o.run.cfg.Now()
	limit, cancel := context.WithTimeout(ctx, noAnswer)
	defer cancel()
	answer := make(chan error, 1)
	go func() { answer <- o.look(limit) }()
	err, waited := o.await(answer)
	switch {
	case ctx.Err() != nil: // the look was cut short
		return false
	case err != nil && limit.Err() != nil && waited < slowAnswer: // this machine stood still
		return true
	case err != nil:
		o.late = 0
		o.out(err.Error())
		return false
	case waited >= slowAnswer:
		if o.late++; o.late > 1 {
			o.out(fmt.Sprintf("round trip of %v", waited.Round(lookTick)))
		}
		return true
	}
	o.late, o.good = 0, asked
	o.over()
	return false
}

// await waits for the answer to a look and returns how long that took. The wait counts in
// ticks, so that a machine that stands still is not taken for a silent server.
func (o *outlook) await(answer <-chan error) (err error, waited time.Duration) {
	tick := time.NewTicker(lookTick)
	defer tick.Stop()
	for {
		select {
		case err := <-answer:
			return err, waited
		case <-tick.C:
			if waited += lookTick; waited == slowAnswer && o.step == nil {
				o.out(unanswered)
			}
		}
	}
}

// out notes that the server cannot be used, and why, which may be another reason than before.
func (o *outlook) out(why string) {
	if o.step != nil && (why == o.why || time.Since(o.since) < noSooner) {
		return
	}
	o.over()
	o.step = &nemesis.Step{Fault: Outage, Nodes: []int{o.node}}
	o.why, o.since = why, time.Now()
	o.run.outage(o.step, o.good, why)
}

// over notes that the server can be used again.
func (o *outlook) over() {
	if o.step == nil {
		return
	}
	o.run.faultHealed(*o.step)
	o.step = nil
	o.run.doubt() // who has waited meanwhile has waited in vain
}

// outage records a fault that nobody injected.
func (r *Run) outage(s *nemesis.Step, began int64, why string) {
	r.mu.Lock()
	r.outages++
	s.N = outageNumbers + r.outages
	r.began[s.N] = began
	r.declared[Outage] = &history.FaultTraits{Effect: history.Down, TakesLocks: true, Unplanned: true}
	r.mu.Unlock()
	r.fault(*s, history.Fault, why)
	r.mu.Lock()
	r.inPlace[s.N] = Outage
	r.mu.Unlock()
}
