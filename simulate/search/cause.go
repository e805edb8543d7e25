package search

import (
	"context"
	"fmt"
	"strings"
	"time"

	"locktorture/nemesis/points/schedule"
)

// A Cause describes the role of one fault of a shrunk schedule.
type Cause struct {
	Decision schedule.Decision
	Needed   bool // without the fault the anomaly disappears
	// With and Without are the numbers of other worlds in which the anomaly occurs with and without
	// the fault, if it is not needed.
	With, Without int
	// Earlier and Later are the numbers of points by which the fault can be moved, one by one,
	// before the anomaly disappears. They count points of the same name, up to farthest.
	Earlier, Later int
	Times          []Range
}

// A Range holds the amounts by which one time of a fault can be shorter and longer. They were found
// in steps of a margin, up to Most.
type Range struct {
	Name            string // "for", "by"
	Shorter, Longer time.Duration
	Most            time.Duration // largest change that was tried
}

// mostCauses bounds the runs of Causes.
const mostCauses = 100

// farthest is the largest number of points by which a fault is moved.
const farthest = 3

// farthestTime is the largest number of margins by which a time is changed. Each step is twice the
// one before.
const farthestTime = 16

// Causes tests each fault of a shrunk schedule: it leaves the fault out, moves it to earlier and
// later points, and makes its times shorter and longer. It stops early when ctx ends or its runs are
// used up, and returns only the faults that it has tested completely, which are the first ones.
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
		if c.left == 0 || ctx.Err() != nil { // variants that were not played look like lost anomalies
			break
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

// causes tries variants of a schedule without keeping them.
type causes struct{ *shrinker }

// needed reports whether the anomaly disappears without a fault. Otherwise it returns the numbers
// of other worlds in which it occurs with and without the fault.
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

// movable returns the number of points by which a fault can be moved in a direction.
func (c *causes) movable(i, direction int) int {
	for n := 1; n <= farthest; n++ {
		at := c.best.Trial.Schedule[i].At.Ordinal + n*direction
		if at < 1 || c.shows(c.with(i, func(d *schedule.Decision) { d.At.Ordinal = at })) == nil {
			return n - 1
		}
	}
	return farthest
}

// span returns the amounts by which a time can be shorter and longer.
func (c *causes) span(name string, i int, of func(d *schedule.Decision) *time.Duration) Range {
	margin := Margin(c.best.Trial.Order.TTL)
	return Range{Name: name, Shorter: c.farthest(i, of, -margin), Longer: c.farthest(i, of, margin), Most: farthestTime * margin}
}

// farthest returns the largest change of a time, in one, two, four … steps, that keeps the anomaly.
// Negative steps move the time towards zero.
func (c *causes) farthest(i int, of func(d *schedule.Decision) *time.Duration, step time.Duration) (most time.Duration) {
	now := *of(&c.best.Trial.Schedule[i])
	for n := time.Duration(1); n <= farthestTime; n *= 2 {
		to := now + n*step
		if now < 0 {
			to = now - n*step
		}
		if to == 0 || to < 0 != (now < 0) {
			break
		}
		t := c.with(i, func(d *schedule.Decision) { *of(d) = to })
		if one := bounded(t.Schedule[i]); *of(&one) != to || c.shows(t) == nil {
			break
		}
		most = (n * step).Abs()
	}
	return most
}

// String describes the cause in sentences.
func (c Cause) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v\n", c.Decision)
	switch {
	case c.Needed:
		b.WriteString("  without it the anomaly disappears\n")
	case c.Without < c.With:
		fmt.Fprintf(&b, "  without it the anomaly is still there, but in fewer other worlds: %d of %d (with it: %d)\n", c.Without, others, c.With)
	default:
		b.WriteString("  without it the anomaly is still there\n")
	}
	fmt.Fprintf(&b, "  it may strike %s\n", moves(c.Earlier, c.Later))
	for _, r := range c.Times {
		fmt.Fprintf(&b, "  %s= %v\n", r.Name, r)
	}
	return b.String()
}

// moves describes the number of points by which a fault can be moved.
func moves(earlier, later int) string {
	var ways []string
	if earlier > 0 {
		ways = append(ways, fmt.Sprintf("%d earlier", earlier))
	}
	if later > 0 {
		ways = append(ways, fmt.Sprintf("%d later", later))
	}
	if len(ways) == 0 {
		return "only at this point: at the previous or the next point of this name, the anomaly disappears"
	}
	return fmt.Sprintf("also at other points of this name: up to %s (%d in each direction were tried)", strings.Join(ways, " and "), farthest)
}

// String describes the amounts by which a time can be changed.
func (r Range) String() string {
	by := func(how string, d time.Duration) string {
		if d == 0 {
			return "not " + how
		}
		return fmt.Sprintf("up to %v %s", d, how)
	}
	return fmt.Sprintf("may be %s and %s (tried in steps of %v, up to %v)", by("shorter", r.Shorter), by("longer", r.Longer), r.Most/farthestTime, r.Most)
}
