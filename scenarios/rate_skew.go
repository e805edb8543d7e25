package scenarios

import (
	"context"
	"fmt"
	"strings"
	"time"

	"locktorture/locks"
	"locktorture/nemesis"
)

// thresholdFact states the result that rate-skew must have.
const thresholdFact = "the measured threshold is the expected one, within the error of the method"

// RateSkew returns the scenario that finds the tolerated rate of the nodes' clocks.
func RateSkew() Scenario {
	return Scenario{
		Title:  "the nodes' clocks run faster than the client's: how much faster is too much?",
		Source: "antirez, \"Is Redlock safe?\" (2016)",
		Shows:  "Redlock allows for clocks that differ by a hundredth of the TTL and 2 ms. Beyond that, nodes forget a lock that its client still holds.",
		Story: "In each round the clocks of the five nodes run at five rates, and client 1 takes the lock. Further rounds narrow the rate at which " +
			"nodes drop the key too early. In the end all clocks run 5 % fast, and client 2 is granted the lock while client 1's is valid.",
		Lesson: "A quartz is well within the allowance (0.01 %). A clock that is slewed is not.",
		TTL:    10 * time.Second,
		Cases:  []Case{{Backend: "redlock", Expect: "unsafe+double-grant", Facts: []string{thresholdFact}}},
		Play: func(s *Stage) {
			s.Client(1).Warm()
			b := bisection{stage: s, low: 0.002, high: 0.032}
			for range 3 {
				b.round()
			}
			b.report()

			c1, c2 := s.Client(1), s.Client(2)
			s.Servers.skew("ABCDE", 0, 1.05)
			l1 := c1.Acquire()
			l1.UntilGone()
			c2.Acquire().Release()
		},
	}
}

// A bisection narrows the interval of rates that contains the threshold. With five nodes, each
// round divides it by six.
type bisection struct {
	stage     *Stage
	low, high float64       // rates minus 1: a harmless one and a harmful one
	rounds    int           // number of rounds made
	blur      time.Duration // largest uncertainty about the loss of a key
	acquire   time.Duration // longest acquire
}

func (b *bisection) round() {
	s := b.stage
	b.rounds++
	step := (b.high - b.low) / 6
	rates := make([]float64, 5)
	for i := range rates {
		rates[i] = b.low + float64(i+1)*step
	}
	clocks := s.Servers.rates(rates)
	began := s.script.Now()
	l := s.Client(1).Take(fmt.Sprintf("%s.round-%d", s.Lock, b.rounds))
	b.acquire = max(b.acquire, time.Duration(s.script.Now()-began))
	lost := b.losses(l, rates)
	clocks.Heal()
	if s.over() {
		return
	}
	least, most := l.Validity()
	until := least + (most-least)/2
	b.blur = max(b.blur, time.Duration(most-least)/2)
	low, high := b.low, b.high
	for i, at := range lost {
		if at < until {
			high = min(high, rates[i])
		} else {
			low = max(low, rates[i])
		}
	}
	b.low, b.high = low, high
	l.Release()
}

// quick bounds the duration of a probe whose answer is exact enough.
const quick = 4 * time.Millisecond

// losses returns the times at which the nodes drop the key. The loss is observed directly; its time
// follows from the last quick probe before it, in which the node reported the remaining lifetime by
// its own clock. A stall of the machine at an unfortunate moment therefore does no harm.
func (b *bisection) losses(l *Lease, rates []float64) []int64 {
	s := b.stage
	if l == nil {
		return nil
	}
	lost, blur, gone := make([]int64, len(rates)), make([]time.Duration, len(rates)), make([]bool, len(rates))
	s.Until("every node has dropped the key", s.TTL, func(ctx context.Context) (bool, error) {
		before := s.script.Now()
		sights, err := s.script.Look(ctx, l.Lock())
		if err != nil {
			return false, err
		}
		took := time.Duration(s.script.Now() - before)
		left := len(rates)
		for i, x := range sights {
			switch {
			case gone[i]:
				left--
			case x.Owner != l.Owner():
				gone[i] = true
				s.script.Saw(l.Lock(), []locks.Sight{x})
				left--
			case took < quick || blur[i] == 0 || took < blur[i]:
				blur[i] = took
				lost[i] = before + int64(took/2) + int64(float64(x.Left)/(1+rates[i]))
			}
		}
		return left == 0, nil
	})
	for _, d := range blur {
		b.blur = max(b.blur, d/2+time.Millisecond) // the lifetime is reported in whole ms
	}
	return lost
}

// report compares the measurement with the allowance of the algorithm.
func (b *bisection) report() {
	s := b.stage
	measured := (b.low + b.high) / 2
	failure := (b.high-b.low)/2 + b.blur.Seconds()/s.TTL.Seconds()
	// The key was set at an unknown moment during the acquire.
	least, most := allowed(s.TTL, 0), allowed(s.TTL, b.acquire)
	s.Measured("threshold", "%.3f %% ± %.3f", 100*measured, 100*failure)
	s.Measured("expected", "%.3f %% to %.3f %% (the acquire took %v)", 100*least, 100*most, b.acquire.Round(time.Microsecond))
	s.Fact(thresholdFact, measured+failure >= least && measured-failure <= most)
}

// allowed returns the rate that the algorithm's allowance covers, minus 1: a key that was set delta
// after the client's start must live until the client's validity has ended.
func allowed(ttl, delta time.Duration) float64 {
	return 1/(0.99-(2*time.Millisecond+delta).Seconds()/ttl.Seconds()) - 1
}

// rates sets the rate of each node's clock.
func (v *Servers) rates(rates []float64) *Fault {
	var f *Fault
	v.stage.step("let the clocks run", func(ctx context.Context) error {
		nodes := all(len(rates))
		set := func(ctx context.Context, rate func(i int) float64) error {
			return each(nodes, func(i int) error {
				n, err := able[nemesis.Clocked](v, i)
				if err != nil {
					return err
				}
				return n.SkewClock(ctx, 0, rate(i))
			})
		}
		f = v.stage.begin(nemesis.Clock{}, nemesis.Step{Nodes: nodes}, func(ctx context.Context) error {
			return set(ctx, func(int) float64 { return 1 })
		})
		if err := set(ctx, func(i int) float64 { return 1 + rates[i] }); err != nil {
			return err
		}
		var what []string
		for i, r := range rates {
			what = append(what, fmt.Sprintf("%s %+.3f %%", v.cluster.Nodes[i].Name(), 100*r))
		}
		f.strike("clocks run " + strings.Join(what, ", "))
		return nil
	})
	return f
}
