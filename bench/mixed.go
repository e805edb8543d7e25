package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// A Mix is what clients did with one read–write lock that all of them want all the time: one
// as a writer, the others as readers. Each holds it for as long as the configuration says. A
// reader asks again at once; the writer steps back until a reader was let in.
type Mix struct {
	Side    string `json:"side"`
	Clients int    `json:"clients"` // the writer and the readers
	// Reads and Writes are grants a second.
	Reads  Spread `json:"reads_per_second"`
	Writes Spread `json:"writes_per_second"`
	// ReadWait and WriteWait are from the call to the grant.
	ReadWait  Latency `json:"read_wait"`
	WriteWait Latency `json:"write_wait"`
	// Bypasses is how many readers were let in, for each wait of the writer, that had asked
	// after it.
	Bypasses float64 `json:"bypasses_per_write"`
	// Starved is how many of Slices ended without a single write, after every reader could go
	// past the waiting writer several times. The wait of the writer is counted up to there,
	// and was longer.
	Starved int `json:"starved_slices,omitempty"`
	Slices  int `json:"slices"`
	// Commands is what the servers were asked for each grant; 0 where they do not count.
	Commands float64 `json:"commands_per_grant,omitempty"`
	// Bare is how often a second as many readers take, hold and free one lock with the bare
	// commands, without a writer.
	Bare *Spread `json:"bare_rounds_per_second,omitempty"`
	// OfBare is Reads over Bare, OfFirst over those of the first side.
	OfBare  *Ratio `json:"of_bare,omitempty"`
	OfFirst *Ratio `json:"of_first,omitempty"`
	// Overlaps is the number of grants of the writer beside readers, or of readers beside the
	// writer.
	Overlaps int64 `json:"overlaps,omitempty"`
}

// A mixedCrew is the clients of one side, in two modes.
type mixedCrew struct{ writer, readers *crew }

// MeasureMixed lets n-1 readers and one writer of each side want one lock of that side. bare,
// which may be nil, is the side of the readers' bare commands (Common), commands as of
// MeasureContended. What there is when ctx ends is returned with its error.
func MeasureMixed(ctx context.Context, c Config, n int, bare *Side, commands Counter, sides ...Side) (out []Mix, err error) {
	if n < 2 {
		return nil, fmt.Errorf("%d clients are too few for a reader and a writer", n)
	}
	c = c.withDefaults()
	c.Turns = max(2, c.Turns/2)
	crews, dismiss, err := hireAll(ctx, c, mixedSides(bare, sides), func(i int) int {
		if i < len(sides) {
			return 1
		}
		return n - 1
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, dismiss()) }()
	own, err := commands.own(ctx)
	if err != nil {
		return nil, fmt.Errorf("count commands: %w", err)
	}
	tallies := make([]*mixedTally, len(sides))
	for i := range tallies {
		tallies[i] = newMixedTally()
	}
	limit, turns := newTally(), len(crews)-len(sides)
	err = c.takeTurns(ctx, turns, func(i int) error {
		d := c.slice(turns)
		if i == len(sides) {
			return crews[2*i].slice(ctx, d, limit)
		}
		both := mixedCrew{crews[i], crews[len(sides)+i]}
		return both.want(ctx, sides[i].name("mixed", n), d, commands, own, tallies[i])
	})
	for i, t := range tallies {
		one := t.mixed(sides[i].Name, n)
		if bare != nil {
			s := spreadOf(limit.rates)
			one.Bare, one.OfBare = &s, ratioOf(t.reads, limit.rates)
		}
		if i > 0 {
			one.OfFirst = ratioOf(t.reads, tallies[0].reads)
		}
		out = append(out, one)
	}
	return out, err
}

// mixedSides are the sides as writers, then as readers, then the bare commands.
func mixedSides(bare *Side, sides []Side) (all []Side) {
	for _, mode := range []string{Exclusive, Shared} {
		for _, s := range sides {
			all = append(all, s.as(mode))
		}
	}
	if bare != nil {
		all = append(all, *bare)
	}
	return all
}

// want lets all clients want one lock for d, counted from when all of them do and one has it.
func (w mixedCrew) want(ctx context.Context, name string, d time.Duration, commands Counter, own int64, sum *mixedTally) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	m := newMixture()
	writer := *w.writer
	writer.patience += d // it may wait until the readers go home
	m.begin(0, func() error { return m.write(ctx, &writer, name) })
	for i, l := range w.readers.clients {
		m.begin(i+1, func() error { return w.readers.turn(ctx, l, name, m.reading, m.read) })
	}
	patience := w.readers.patience
	asked, err := m.counted(ctx, d, patience, commands, func() bool {
		return len(m.reads)+len(m.writes) >= least && (len(m.writes) > 0 || m.starving(m.past))
	})
	return errors.Join(err, m.goHome(cancel, patience), m.into(sum, asked-own, commands != nil && err == nil))
}

// A mixedTally sums up the slices of one side.
type mixedTally struct {
	readWait, writeWait *hdrhistogram.Histogram
	reads, writes       []float64 // a second, of each slice
	waits, bypasses     int64     // of the writer, and of readers past it
	starved, slices     int
	overlaps            int64
	commands, counted   int64
}

func newMixedTally() *mixedTally {
	return &mixedTally{readWait: newHistogram(), writeWait: newHistogram()}
}

func (t *mixedTally) mixed(side string, n int) Mix {
	out := Mix{
		Side: side, Clients: n, Reads: spreadOf(t.reads), Writes: spreadOf(t.writes),
		ReadWait: latencyOf(t.readWait), WriteWait: latencyOf(t.writeWait),
		Starved: t.starved, Slices: t.slices, Overlaps: t.overlaps,
	}
	if t.waits > 0 {
		out.Bypasses = float64(t.bypasses) / float64(t.waits)
	}
	if t.counted > 0 {
		out.Commands = float64(t.commands) / float64(t.counted)
	}
	return out
}
