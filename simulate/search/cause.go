package search

import (
	"context"
	"fmt"
	"strings"
	"time"

	"locktorture/nemesis/points/schedule"
)

// A Cause is what one fault of a shrunk schedule has to do with its anomaly.
type Cause struct {
	Decision schedule.Decision
	Needed   bool // without it the anomaly is gone
	// With and Without it the anomaly is seen in so many other worlds, if it is not needed.
	With, Without int
	// Earlier and Later are how many points of the same name, up to a few, it may be moved by,
	// one by one, before the anomaly is gone.
	Earlier, Later int
	Times          []Range
}

// A Range is by how much one time of a fault may be shorter and longer, in margins and as far
// as was tried.
type Range struct {
	Name            string // "for", "by"
	Shorter, Longer time.Duration
	Most            time.Duration // no more was tried
}

// mostCauses bounds the runs of Causes.
const mostCauses = 100

// farthest is by how many points a fault is moved.
const farthest = 3

// farthestTime is by how many margins a time is made shorter and longer, each step twice the
// one before.
const farthestTime = 16

// Causes tries each fault of a shrunk schedule: without it, at points before and after, for
// shorter and longer times. It stops early when ctx ends.
func Causes(ctx context.Context, p Player, found *Shrunk) ([]Cause, error) {
	c := causes{newShrinker(ctx, p, found.Mechanism, mostCauses)}
	c.best = found.Outcome
	var all []Cause
	for i, d := range found.Trial.Schedule {
		one := Cause{Decision: d}
		one.Needed, one.With, one.Without = c.needed(i)
		one.Earlier, one.Later = c.movable(i, -1), c.movable(i, 1)
		for _, t := range []struct {
			name string
			of   func(d *schedule.Decision) *time.Duration
		}{{"by", byOf}, {"for", forOf}} {
			if *t.of(&d) != 0 {
				one.Times = append(one.Times, c.span(t.name, i, t.of))
			}
		}
		all = append(all, one)
	}
	if c.err != nil {
		return nil, c.err
	}
	return all, ctx.Err()
}

func byOf(d *schedule.Decision) *time.Duration  { return &d.By }
func forOf(d *schedule.Decision) *time.Duration { return &d.For }

// causes tries variants of a schedule, and takes none.
type causes struct{ *shrinker }

// needed tells whether the anomaly is gone without a fault, else in how many other worlds it is
// seen with and without it.
func (c *causes) needed(i int) (needed bool, with, without int) {
	t := c.lacking(i)
	o := c.play(t)
	if o == nil {
		return true, 0, 0
	}
	if _, there := c.mechanism.whoever(o); !there {
		return true, 0, 0
	}
	return false, c.elsewhere(c.best.Trial, others, 0), c.elsewhere(t, others, 0)
}

// movable is by how many points in a direction a fault can be moved.
func (c *causes) movable(i, direction int) int {
	for n := 1; n <= farthest; n++ {
		at := c.best.Trial.Schedule[i].At.Ordinal + n*direction
		if at < 1 || c.shows(c.with(i, func(d *schedule.Decision) { d.At.Ordinal = at })) == nil {
			return n - 1
		}
	}
	return farthest
}

// span is by how much a time can be shorter and longer.
func (c *causes) span(name string, i int, of func(d *schedule.Decision) *time.Duration) Range {
	margin := Margin(c.best.Trial.Order.TTL)
	return Range{Name: name, Shorter: c.farthest(i, of, -margin), Longer: c.farthest(i, of, margin), Most: farthestTime * margin}
}

// farthest is the most of one, two, four … steps that a time can be moved, away from zero or
// towards it.
func (c *causes) farthest(i int, of func(d *schedule.Decision) *time.Duration, step time.Duration) (most time.Duration) {
	now := *of(&c.best.Trial.Schedule[i])
	for n := time.Duration(1); n <= farthestTime; n *= 2 {
		to := now + n*step
		if now < 0 {
			to = now - n*step
		}
		if to == 0 || to < 0 != (now < 0) || c.shows(c.with(i, func(d *schedule.Decision) { *of(d) = to })) == nil {
			break
		}
		most = (n * step).Abs()
	}
	return most
}

// String is the cause in sentences.
func (c Cause) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v\n", c.Decision)
	switch {
	case c.Needed:
		b.WriteString("  without it the anomaly is gone\n")
	case c.Without < c.With:
		fmt.Fprintf(&b, "  without it the anomaly is still there, but seen in %d of %d other worlds, not in %d\n", c.Without, others, c.With)
	default:
		b.WriteString("  without it the anomaly is still there\n")
	}
	fmt.Fprintf(&b, "  it may strike %s\n", moves(c.Earlier, c.Later))
	for _, r := range c.Times {
		fmt.Fprintf(&b, "  %s= %v\n", r.Name, r)
	}
	return b.String()
}

// moves says by how many points a fault can be moved.
func moves(earlier, later int) string {
	var ways []string
	if earlier > 0 {
		ways = append(ways, fmt.Sprintf("%d earlier", earlier))
	}
	if later > 0 {
		ways = append(ways, fmt.Sprintf("%d later", later))
	}
	if len(ways) == 0 {
		return "here, and neither at the point of this name before it nor at the one after it"
	}
	return fmt.Sprintf("at points of this name up to %s, too (%d either way were tried)", strings.Join(ways, " and "), farthest)
}

// String says by how much a time may be moved.
func (r Range) String() string {
	by := func(how string, d time.Duration) string {
		if d == 0 {
			return "not " + how
		}
		return fmt.Sprintf("up to %v %s", d, how)
	}
	return fmt.Sprintf("may be %s and %s (in steps of %v, up to %v)", by("shorter", r.Shorter), by("longer", r.Longer), r.Most/farthestTime, r.Most)
}
