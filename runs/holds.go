package runs

import (
	"cmp"
	"fmt"

	"locktorture/internal/exit"
	"locktorture/workloads"
)

const (
	// UsualHold is what --hold is without the flag.
	UsualHold = "2ms-5ms"
	// usualLongHold lets some sections outlast what short ones never meet: a watchdog's tick,
	// after a third of the TTL, and the end of the lease. They take most of the time that the
	// lock is held, so more of them would cost many grants and be few more.
	usualLongHold = "1/100:0.4ttl-1.6ttl"
	// leastForLong is how many TTLs a run must last to have such sections if nobody asks for
	// them: one of them could take all of a shorter run.
	leastForLong = 5
)

// longHold is the effective value of --long-hold.
func (s Spec) longHold() string { return cmp.Or(s.LongHold, s.longHoldUnlessSaid()) }

// longHoldUnlessSaid is that value without the flag. Who says how long sections hold means all
// of them.
func (s Spec) longHoldUnlessSaid() string {
	if s.Hold != "" || s.Duration < leastForLong*s.TTL {
		return workloads.NoLongHold
	}
	return usualLongHold
}

// holds says how long the locks are held.
func (s Spec) holds() string {
	hold := s.Hold
	if hold == "" {
		hold = UsualHold
	}
	n, long, err := workloads.ParseLongHold(s.longHold(), s.TTL)
	if n == 0 || err != nil {
		return "sections hold for " + hold
	}
	return fmt.Sprintf("sections hold for %s, and one in %d for %s more", hold, n, long)
}

// config is what the flags tell a workload.
func (s Spec) config() (workloads.Config, error) {
	c := workloads.Config{Hot: s.Hot}
	for _, flag := range []struct {
		name, text string
		to         *workloads.Spread
	}{{"hold", s.Hold, &c.Hold}, {"think", s.Think, &c.Think}} {
		if flag.text == "" {
			continue
		}
		times, err := workloads.ParseSpread(flag.text)
		if err != nil {
			return c, exit.Usage("--%s: %v", flag.name, err)
		}
		*flag.to = times
	}
	n, long, err := workloads.ParseLongHold(s.longHold(), s.TTL)
	if err != nil {
		return c, exit.Usage("--long-hold %q: must be none, or a value like 1/50:3s or 1/50:0.4ttl-1.6ttl: %v", s.LongHold, err)
	}
	c.LongEvery, c.LongHold = n, long
	return c, nil
}
