package anchor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"locktorture/nemesis"
	"locktorture/nemesis/points/faults"
	"locktorture/nemesis/points/schedule"
)

// A blow is a decision of the schedule with its state.
type blow struct {
	schedule.Decision
	step nemesis.Step
	free chan struct{} // closed when the blow releases its held messages
	over chan struct{} // closed when the blow was healed, or had no victim

	mu    sync.Mutex
	state state
	why   string // reason why it struck no victim
	undo  func(context.Context) error
	keys  []string // targets that it occupies

	once sync.Once // ends the blow once
}

type state int

const (
	waiting state = iota // its point has not been reached
	pending              // its point was reached, and no victim was struck yet
	inPlace
	ended
	missed
)

func (b *blow) struck() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.state == inPlace || b.state == ended
}

// reason returns the reason why the blow struck no victim.
func (b *blow) reason() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.why
}

// resetTime is the shortest life of a connection after one of its messages was lost.
const resetTime = 100 * time.Microsecond

// lasts returns the duration of a blow from its point on.
func (b *blow) lasts() time.Duration {
	if b.Kind == schedule.Drop {
		return max(b.For, resetTime)
	}
	return b.For
}

// healLimit bounds one heal. A server that must restart needs seconds.
const healLimit = 30 * time.Second

// strike executes a decision and returns when it is in effect.
func (d *Director) strike(b *blow, m *message) {
	b.mu.Lock()
	if m.conn != nil {
		b.At.Node = m.conn.node
		b.step = faults.Step(b.Decision, b.step.N)
	}
	b.state, b.why = pending, "nothing was sent meanwhile"
	b.mu.Unlock()
	err := d.lead(b)
	if err == nil {
		err = d.take(b)
	}
	if err == nil {
		err = d.blow(b, m)
	}
	switch {
	case errors.Is(err, nemesis.ErrNotStruck):
		d.miss(b, err)
	case err != nil:
		d.miss(b, err)
		d.fail(b, err)
	default:
		time.AfterFunc(b.lasts(), func() { d.end(b) })
		return
	}
	close(b.over)
}

// lead finds the leader, if the blow is aimed at it.
func (d *Director) lead(b *blow) error {
	if !b.Leader {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), leaderLimit)
	defer cancel()
	leader, err := d.world.Leader(ctx)
	if err != nil {
		return notStruck("no server leads the others: %v", err)
	}
	b.mu.Lock()
	b.Nodes = []int{leader + 1}
	b.step = faults.Step(b.Decision, b.step.N)
	b.mu.Unlock()
	return nil
}

// leaderLimit bounds the search for the leader.
const leaderLimit = 5 * time.Second

// take marks the targets of a blow as occupied, so that no two faults are in effect on the
// same process, or on the same clock, at the same time.
func (d *Director) take(b *blow) error {
	keys := b.targets()
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, k := range keys {
		if by := d.busy[k]; by > 0 {
			return notStruck("%s is already hit by fault %d", k, by)
		}
	}
	for _, k := range keys {
		d.busy[k] = b.step.N
	}
	b.mu.Lock()
	b.keys = keys
	b.mu.Unlock()
	return nil
}

// targets returns the names of the targets of a blow, which no other blow can strike at the same
// time.
func (b *blow) targets() (keys []string) {
	what := ""
	switch b.Kind {
	case schedule.Pause, schedule.Kill:
		return []string{fmt.Sprintf("c%d", b.At.Client)}
	case schedule.Skew:
		return []string{fmt.Sprintf("the clock of c%d", b.At.Client)}
	case schedule.Clock:
		what = "the clock of server %d"
	case schedule.Stop, schedule.Restart:
		what = "server %d"
	}
	for _, n := range b.Strikes() {
		if what != "" {
			keys = append(keys, fmt.Sprintf(what, n))
		}
	}
	return keys
}

// leave frees the targets that take has marked.
func (d *Director) leave(b *blow) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, k := range b.keys {
		delete(d.busy, k)
	}
}

// hit records that a blow has had its effect. undo ends the effect; it is nil if there is nothing
// to undo.
func (d *Director) hit(b *blow, undo func(context.Context) error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.state != pending {
		return
	}
	b.state, b.why, b.undo = inPlace, "", undo
	d.log.Struck(b.step, faults.Seen(b.Decision, func(n int) string { return d.world.Nodes[n-1].Name() }))
}

// miss records that a blow has struck no victim.
func (d *Director) miss(b *blow, err error) {
	b.mu.Lock()
	b.state, b.why = missed, strings.TrimPrefix(err.Error(), nemesis.ErrNotStruck.Error()+": ")
	b.mu.Unlock()
	d.leave(b)
}

// end ends a blow whose point was reached. If another caller is ending the blow, end waits
// until that is done.
func (d *Director) end(b *blow) { b.once.Do(func() { d.endNow(b) }) }

func (d *Director) endNow(b *blow) {
	d.disarm(b)
	b.mu.Lock()
	was, undo := b.state, b.undo
	switch was {
	case inPlace:
		b.state = ended
	case pending:
		b.state = missed
	}
	b.mu.Unlock()
	if was != inPlace && was != pending {
		return
	}
	defer close(b.over)
	close(b.free)
	defer d.leave(b)
	if was == pending {
		return
	}
	if undo != nil {
		ctx, cancel := context.WithTimeout(context.Background(), healLimit)
		defer cancel()
		if err := undo(ctx); err != nil {
			d.fail(b, fmt.Errorf("heal: %w", err))
			return
		}
	}
	if b.Kind != schedule.Kill {
		d.log.Healed(b.step)
	}
}

func notStruck(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{nemesis.ErrNotStruck}, args...)...)
}
