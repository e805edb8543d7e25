package harness

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"
)

// An Arrivals sets the times at which clients begin their sections. The zero value is a closed
// loop: a client rests for the think time after each section. Otherwise the loop is open: each
// section has a due time that does not depend on the end of earlier sections, and a client that is
// late begins its next section at once. A slow lock then meets the same queue as in production.
type Arrivals struct {
	Rate  float64       // sections per second of all clients together, as a Poisson process
	Even  bool          // with Rate: equal intervals instead of random ones
	Burst time.Duration // all clients begin at once, at this interval
}

// ParseArrivals parses "closed", "poisson:200" or "even:200" (sections per second), or
// "burst:5s".
func ParseArrivals(text string) (a Arrivals, err error) {
	kind, value, _ := strings.Cut(text, ":")
	switch kind {
	case "closed":
		if value == "" {
			return a, nil
		}
	case "poisson", "even":
		a.Even = kind == "even"
		if a.Rate, err = strconv.ParseFloat(value, 64); err == nil && a.Rate > 0 && a.Rate <= 1e6 {
			return a, nil
		}
	case "burst":
		if a.Burst, err = time.ParseDuration(value); err == nil && a.Burst > 0 {
			return a, nil
		}
	}
	return a, fmt.Errorf("%q: closed, poisson:RATE, even:RATE or burst:TIME", text)
}

// closed reports whether the loop is closed.
func (a Arrivals) closed() bool { return a.Rate <= 0 && a.Burst <= 0 }

// next returns the due time of a client's next section, counted from the start of the run. last is
// the due time of its previous section, negative before the first.
func (a Arrivals) next(r *rand.Rand, client, clients int, last time.Duration) time.Duration {
	if a.Burst > 0 {
		if last < 0 {
			return 0
		}
		return later(last, a.Burst)
	}
	each := duration(float64(clients) / a.Rate * float64(time.Second))
	switch {
	case !a.Even:
		return later(max(0, last), duration(r.ExpFloat64()*float64(each)))
	case last < 0:
		return min(each, never/time.Duration(clients)) * time.Duration(client) / time.Duration(clients)
	}
	return later(last, each)
}

// never is a due time that no run reaches. Due times end there, because a greater sum would overflow,
// and the section would be due at once.
const never time.Duration = 1 << 62

// duration converts nanoseconds to a duration of at most never.
func duration(ns float64) time.Duration { return time.Duration(min(ns, float64(never))) }

// later returns the time d after t, at most never. t is not negative.
func later(t, d time.Duration) time.Duration { return t + min(d, never-t) }

// A Backlog measures how far an open loop fell behind.
type Backlog struct {
	Sections int           // sections that were due
	Late     int           // sections that began more than a millisecond late
	Worst    time.Duration // the greatest delay
}

// String returns the backlog in words; "" if nothing was late.
func (b Backlog) String() string {
	if b.Late == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d sections began later than planned, by up to %s", b.Late, b.Sections, b.Worst.Round(time.Millisecond))
}

// arrive waits until the client's next section is due.
func (c *client) arrive(ctx context.Context, think time.Duration) {
	a := c.run.cfg.Arrivals
	if a.closed() {
		if think > 0 {
			c.rest(ctx, think)
		}
		return
	}
	if c.again {
		c.again = false
		return
	}
	last := c.due
	if !c.arrived {
		last = -max(a.Burst, 1)
	}
	c.due, c.arrived = a.next(c.life.rng, c.number, c.run.cfg.Clients, last), true
	if wait := time.Until(c.run.opened.Add(c.due)); wait > 0 {
		c.rest(ctx, wait)
	}
	if _, tail := c.run.tail.patience(); ctx.Err() == nil && !tail {
		c.run.tally.behind(max(0, time.Since(c.run.opened)-c.due))
	}
}

// behind counts a section of an open loop that began late after its due time.
func (t *tally) behind(late time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.backlog.Sections++
	t.backlog.Worst = max(t.backlog.Worst, late)
	if late > time.Millisecond {
		t.backlog.Late++
	}
}

// Backlog returns the backlog of a finished run; the zero value for a closed loop.
func (r *Run) Backlog() Backlog {
	r.tally.mu.Lock()
	defer r.tally.mu.Unlock()
	return r.tally.backlog
}
