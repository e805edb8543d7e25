package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"locktorture/locks"
)

// A Meeting is what parties did that meet at one barrier again and again, or at one latch
// after another. One of them, another each time, comes later than the others by as long as a
// lock would be held.
type Meeting struct {
	Side    string `json:"side"`
	Parties int    `json:"parties"`
	// Rate is how often a second all met, the making of latches and the leaving of barriers
	// included.
	Rate Spread `json:"meetings_per_second"`
	// Open is from the call of the last party to the return of the last one.
	Open Latency `json:"open"`
	// Leave is from the last call to leave a barrier to the last return; nothing for latches.
	Leave    Latency `json:"leave,omitzero"`
	Meetings int64   `json:"meetings"`
	// Commands is what the servers were asked for each party of a meeting; 0 where they do not
	// count.
	Commands float64 `json:"commands_per_party,omitempty"`
	// OpenRatio is Open over the time that one party alone needs with the bare commands.
	OpenRatio *Ratio `json:"open_ratio,omitempty"`
	// Early is how many parties passed before the last one had called.
	Early int64 `json:"early,omitempty"`
}

// MeasureMeeting lets n parties of a side meet. single: one count-down opens the latch. bare
// and commands, which may be nil, are as of MeasureContended. What there is when ctx ends is
// returned with its error.
func MeasureMeeting(ctx context.Context, c Config, n int, single bool, bare *Side, commands Counter, side Side) (out Meeting, err error) {
	if n < 2 {
		return Meeting{}, fmt.Errorf("%d parties cannot meet", n)
	}
	c = c.withDefaults()
	c.Turns = max(2, c.Turns/2)
	all := []Side{side}
	if bare != nil {
		all = append(all, *bare)
	}
	crews, dismiss, err := hireAll(ctx, c, all, func(i int) int { return []int{n, 1}[i] })
	if err != nil {
		return Meeting{}, err
	}
	defer func() { err = errors.Join(err, dismiss()) }()
	own, err := commands.own(ctx)
	if err != nil {
		return Meeting{}, fmt.Errorf("count commands: %w", err)
	}
	place, err := meetingPlace(crews[0], single)
	if err != nil {
		return Meeting{}, err
	}
	t, limit := &meetings{open: newHistogram(), leave: newHistogram()}, newTally()
	err = c.takeTurns(ctx, len(all), func(i int) error {
		if i == 1 {
			alone := *crews[1]
			alone.hold = 0
			return alone.slice(ctx, c.slice(len(all)), limit)
		}
		return t.slice(ctx, crews[0], place, c.slice(len(all)), commands, own)
	})
	out = t.meeting(side.Name, n)
	if bare != nil {
		out.OpenRatio = ratioOf(t.opens, limit.turnovers)
	}
	return out, err
}

// meetings sum up the slices of one side.
type meetings struct {
	open, leave *hdrhistogram.Histogram
	opens       []float64 // the median of each slice, in ns
	rates       []float64 // of each slice
	met         int64
	early       int64
	commands    int64
	counted     int64 // meetings for which commands were counted
}

func (t *meetings) meeting(side string, parties int) Meeting {
	out := Meeting{
		Side: side, Parties: parties, Rate: spreadOf(t.rates), Open: latencyOf(t.open), Leave: latencyOf(t.leave),
		Meetings: t.met, Early: t.early,
	}
	if t.counted > 0 {
		out.Commands = float64(t.commands) / float64(t.counted*int64(parties))
	}
	return out
}

// slice lets the crew meet for d, and once at least.
func (t *meetings) slice(ctx context.Context, w *crew, at place, d time.Duration, commands Counter, own int64) error {
	before, err := commands.read(ctx)
	if err != nil {
		return err
	}
	var opens []float64
	start := time.Now()
	for time.Since(start) < d && ctx.Err() == nil {
		m, err := w.meet(ctx, at, int(t.met))
		if err != nil {
			return err
		}
		t.met++
		t.early += m.early
		record(t.open, m.open)
		opens = append(opens, float64(m.open))
		if m.leave > 0 {
			record(t.leave, m.leave)
		}
	}
	if len(opens) == 0 {
		return ctx.Err()
	}
	t.opens = append(t.opens, quantile(opens, 0.5))
	t.rates = append(t.rates, float64(len(opens))/time.Since(start).Seconds())
	after, err := commands.read(ctx)
	if err == nil && commands != nil {
		t.commands += max(after-before-own, 0)
		t.counted += int64(len(opens))
	}
	return errors.Join(err, ctx.Err())
}

// A place is where parties meet: a barrier, or latches.
type place interface {
	// prepare comes before each meeting.
	prepare(ctx context.Context, meeting int) error
	// come returns when party i has passed; leave is nil where nobody leaves.
	come(ctx context.Context, meeting, i int) (leave func(context.Context) error, err error)
	// comesLast tells which party is late.
	comesLast(meeting int) int
	// needs reports whether nobody passes before party i has called.
	needs(meeting, i int) bool
}

func meetingPlace(w *crew, single bool) (place, error) {
	for _, l := range w.clients {
		ok := false
		if w.side.Mode == CountDown {
			_, ok = l.(*latched)
		} else {
			_, ok = l.(locks.Barrier)
		}
		if !ok {
			return nil, fmt.Errorf("%s: clients that do not meet: %w", w.side.Name, errors.ErrUnsupported)
		}
	}
	if w.side.Mode == CountDown {
		return latches{w, single}, nil
	}
	return barrier{w}, nil
}
