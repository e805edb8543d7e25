package scenarios

import (
	"context"
	"fmt"
	"time"
)

// A renewal of slowTTL is sent every slowPeriod. slowSpare is the remaining time for its delivery.
const (
	slowTTL    = 5 * time.Second
	slowPeriod = slowTTL * 3 / 4
	slowSpare  = slowTTL - slowPeriod
)

// The facts that watchdog-too-slow must record.
const (
	keyFact    = "the key is kept only if period and way are shorter than the TTL"
	holderFact = "the holder is notified of a loss only if period and round trip are longer than the TTL"
)

// WatchdogTooSlow returns the scenario of a watchdog whose period is near the TTL.
func WatchdogTooSlow() Scenario {
	slow := func(period time.Duration) map[string]string { return map[string]string{"period": period.String()} }
	refused := []string{"client 2 was refused"}
	return Scenario{
		Title:  "the watchdog renews too late for a slow network",
		Source: "Redisson's lock watchdog",
		Shows:  "A renewal must arrive in what is left of the TTL after a period.",
		Story: "Client 1 takes the lock and reads; then the network delays each message, and the renewal comes too late. Client 2 takes the lock, " +
			"reads, writes and releases. Client 1 writes. Meanwhile clients 3 to 8 hold other locks over links with six delays.",
		Lesson: "Period and round trip together must stay below the TTL on the slowest network.",
		TTL:    slowTTL, Clients: 8,
		Cases: []Case{
			{Backend: "redis-watchdog", Variant: "every 3/4 TTL, network slow", Options: slow(slowPeriod),
				Expect: "unsafe+overrun+lost-update", Never: []string{"double-grant"}, Facts: []string{keyFact, holderFact}},
			{Backend: "redis-watchdog", Variant: "every 3/4 TTL, network quick", Options: slow(slowPeriod), Expect: "safe", Facts: refused},
			{Backend: "redis-watchdog", Variant: "every third of the TTL, network slow", Expect: "safe", Facts: refused},
		},
		Play: func(s *Stage) {
			c1, c2 := s.Client(1), s.Client(2)
			l1 := c1.Acquire()
			l1.Renew() // the server then has the script; otherwise the first renewal would take two round trips
			n := l1.Read()
			if s.Case.Variant != "every 3/4 TTL, network quick" {
				c1.LinksTo("A").Slow(slowSpare * 6 / 5)
			}
			if s.Case.Options == nil || s.Case.Variant == "every 3/4 TTL, network quick" {
				s.After("a renewal was needed", l1.granted()+int64(s.TTL+slowSpare/4))
				l2 := c2.Try()
				s.Fact("client 2 was refused", l2 == nil)
				l1.Ask() // the watchdog has renewed it, so the holder knows the new end
				l1.Write(n + 1)
				return
			}
			measured := s.slowLinks(s.beginSlow())
			l1.UntilGone()
			l2 := c2.Acquire()
			l2.Write(l2.Read() + 1)
			l2.Release()
			l1.Write(n + 1)
			measured()
		},
	}
}

// A slowHolder holds a lock of its own over a slow link.
type slowHolder struct {
	*Lease
	way time.Duration // delay of a message
}

// beginSlow makes clients 3 to 8 take locks, and slows their links: by less than half of the time
// that a renewal has, by less than all of it, and by more.
func (s *Stage) beginSlow() []slowHolder {
	var holders []slowHolder
	for i, share := range []float64{0.1, 0.25, 0.55, 0.65, 1.25, 1.35} {
		c := s.Client(3 + i)
		h := slowHolder{c.Take(fmt.Sprintf("%s.%d", s.Lock, 3+i)), time.Duration(share * float64(slowSpare))}
		c.LinksTo("A").Slow(h.way)
		holders = append(holders, h)
	}
	return holders
}

// slowLinks returns a function that waits until each holder's first renewal has arrived or its key
// has expired, and records the holders that kept their key and those that were notified of a loss.
func (s *Stage) slowLinks(holders []slowHolder) func() {
	return func() {
		var kept, lost, quiet, told time.Duration = 0, time.Hour, 0, time.Hour
		for _, h := range holders {
			if s.over() || h.Lease == nil {
				return
			}
			s.After("a renewal was needed", h.at+int64(slowTTL+slowSpare/2))
			s.step("look at "+h.Lock(), func(ctx context.Context) error {
				sights, err := s.script.Look(ctx, h.Lock())
				if err != nil {
					return err
				}
				if len(sights) > 0 && keeps(sights[0]) && sights[0].Owner == h.Owner() {
					kept = max(kept, h.way)
				} else {
					lost = min(lost, h.way)
				}
				if h.LostWithin(time.Millisecond) {
					told = min(told, h.way)
				} else {
					quiet = max(quiet, h.way)
				}
				return nil
			})
		}
		s.Measured("the key is kept", "with a way of %v and lost with %v; expected: TTL − period = %v", kept, lost, slowSpare)
		s.Measured("the holder keeps its lease", "with a way of %v and is notified of a loss with %v; expected: half of that", quiet, told)
		s.Measured("safe period", "less than the TTL − %v with a way of %v", 2*quiet, quiet)
		s.Fact(keyFact, kept < slowSpare && slowSpare < lost)
		s.Fact(holderFact, quiet < slowSpare/2 && slowSpare/2 < told)
	}
}
