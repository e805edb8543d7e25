package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// A Contended is what some clients did with one lock that all of them want all
// the time, and hold for as long as the configuration says. Who has released steps
// back until another was granted the lock, so that every grant is a hand-over.
type Contended struct {
	Side    string `json:"side"`
	Mode    string `json:"mode,omitempty"`
	Clients int    `json:"clients"`
	// Permits is how many of them may hold it at a time; 0: one.
	Permits int `json:"permits,omitempty"`
	// HandOvers is grants a second.
	HandOvers Spread `json:"hand_overs_per_second"`
	// Wait is from a client's call of Acquire to its grant, Gap from the call of
	// Release to the next client's grant: of a semaphore, to the grant of what was given back.
	Wait   Latency `json:"wait"`
	Gap    Latency `json:"gap"`
	Grants int64   `json:"grants"`
	// Jain is the index of the clients' grants; 0 if there were too few
	// grants (under five a client) to say.
	Jain float64 `json:"jain"`
	// Commands is what the servers were asked for each hand-over; 0 where
	// they do not count.
	Commands float64 `json:"commands_per_hand_over,omitempty"`
	// Bare is how often a second one client alone takes, holds and frees with
	// the bare commands. A queue can be faster: its waiters have asked before their turn.
	Bare *Spread `json:"bare_rounds_per_second,omitempty"`
	// GapRatio is Gap over the time that the bare commands to free and to take need.
	GapRatio *Ratio `json:"gap_ratio,omitempty"`
	// OfBare is HandOvers over Bare, OfFirst over those of the first side.
	OfBare  *Ratio `json:"of_bare,omitempty"`
	OfFirst *Ratio `json:"of_first,omitempty"`
	// Overlaps is the number of grants while another client held the lock, or others all
	// permits.
	Overlaps int64 `json:"overlaps,omitempty"`
}

// MeasureContended lets n clients of each side want one lock of that side. bare, which may
// be nil, is the side of the bare commands; commands, which may be nil too, reads what the
// servers have been asked so far. What there is when ctx ends is returned with its error.
func MeasureContended(ctx context.Context, c Config, n int, bare *Side, commands Counter, sides ...Side) (out []Contended, err error) {
	if n < 2 {
		return nil, fmt.Errorf("%d clients cannot contend", n)
	}
	c = c.withDefaults()
	c.Turns = max(2, c.Turns/2) // longer slices: waiters must come round
	all := slices.Clone(sides)
	if bare != nil {
		all = append(all, *bare)
	}
	crews, dismiss, err := hireAll(ctx, c, all, func(i int) int {
		if i < len(sides) {
			return n
		}
		return 1
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, dismiss()) }()
	own, err := commands.own(ctx)
	if err != nil {
		return nil, fmt.Errorf("count commands: %w", err)
	}
	sums := make([]*queueTally, len(sides))
	for i := range sums {
		sums[i] = &queueTally{wait: newHistogram(), gap: newHistogram(), shares: make([]int64, n)}
	}
	limit := newTally()
	err = c.takeTurns(ctx, len(all), func(i int) error {
		if i == len(sides) {
			return crews[i].slice(ctx, c.slice(len(all)), limit)
		}
		return crews[i].want(ctx, all[i].name("wanted", n), c.slice(len(all)), commands, own, sums[i])
	})
	for i, sum := range sums {
		one := sum.contended(sides[i], n)
		if bare != nil {
			s := spreadOf(limit.rates)
			one.Bare, one.OfBare = &s, ratioOf(sum.rates, limit.rates)
			one.GapRatio = ratioOf(sum.medians, limit.turnovers)
		}
		if i > 0 {
			one.OfFirst = ratioOf(sum.rates, sums[0].rates)
		}
		out = append(out, one)
	}
	return out, err
}

// A queueTally sums up the contended slices.
type queueTally struct {
	wait, gap        *hdrhistogram.Histogram
	rates            []float64
	medians          []float64 // of the gaps of each slice, in ns
	shares           []int64
	grants, overlaps int64
	commands         int64
	counted          int64 // grants for which commands were counted
}

func (t *queueTally) contended(side Side, n int) Contended {
	out := Contended{
		Side: side.Name, Mode: side.Mode, Clients: n, Permits: side.Capacity, HandOvers: spreadOf(t.rates), Wait: latencyOf(t.wait), Gap: latencyOf(t.gap),
		Grants: t.grants, Overlaps: t.overlaps,
	}
	if t.grants >= 5*int64(len(t.shares)) {
		out.Jain = Jain(t.shares)
	}
	if t.counted > 0 {
		out.Commands = float64(t.commands) / float64(t.counted)
	}
	return out
}

// least is the number of hand-overs that a slice waits for, however long they
// take (within the patience).
const least = 4

// want lets all clients of the crew want one lock for d, counted from when all of
// them do and one has it.
func (w *crew) want(ctx context.Context, name string, d time.Duration, commands Counter, own int64, sum *queueTally) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	q := newQueue(len(w.clients), w.side.room())
	for i := range w.clients {
		// Who comes next in a queue begins, or the first ones of every slice
		// would get more than their share.
		i = (i + int(sum.grants)) % len(w.clients)
		q.begin(i, func() error { return q.turn(ctx, w, i, w.clients[i], name) })
	}
	asked, err := q.counted(ctx, d, w.patience, commands, func() bool { return len(q.waits) >= least })
	return errors.Join(err, q.goHome(cancel, w.patience), q.into(sum, asked-own, commands != nil && err == nil))
}

// pause waits for d or the end of ctx, whose error it returns.
func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
