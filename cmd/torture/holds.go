package main

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"locktorture/workloads"
)

const (
	usualHold = "2ms-5ms"
	// usualLongHold lets some sections outlast what short ones never meet: a watchdog's tick, after
	// a third of the TTL, and the end of the lease. They take most of the time that the lock is
	// held, so more of them would cost many grants and be few more.
	usualLongHold = "1/100:0.4ttl-1.6ttl"
	noLongHold    = "none"
	// leastForLong is how many TTLs a run must last to have such sections if nobody asks for them: one
	// of them could take all of a shorter run.
	leastForLong = 5
)

// longHold is the effective value of --long-hold.
func (s runSpec) longHold() string { return cmp.Or(s.LongHold, s.longHoldUnlessSaid()) }

// longHoldUnlessSaid is that value without the flag. Who says how long sections hold means all of them.
func (s runSpec) longHoldUnlessSaid() string {
	if s.Hold != "" || s.Duration < leastForLong*s.TTL {
		return noLongHold
	}
	return usualLongHold
}

// holds says how long the locks are held.
func (s runSpec) holds() string {
	hold := s.Hold
	if hold == "" {
		hold = usualHold
	}
	n, long, err := parseLongHold(s.longHold(), s.TTL)
	if n == 0 || err != nil {
		return "sections hold for " + hold
	}
	return fmt.Sprintf("sections hold for %s, and one in %d for %s more", hold, n, long)
}

// config is what the flags tell a workload.
func (s runSpec) config() (workloads.Config, error) {
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
			return c, usage("--%s: %v", flag.name, err)
		}
		*flag.to = times
	}
	n, long, err := parseLongHold(s.longHold(), s.TTL)
	if err != nil {
		return c, usage("--long-hold %q: none, or one like 1/50:3s or 1/50:0.4ttl-1.6ttl: %v", s.LongHold, err)
	}
	c.LongEvery, c.LongHold = n, long
	return c, nil
}

// parseLongHold reads one in how many sections is long, and how much longer.
func parseLongHold(text string, ttl time.Duration) (n int, long workloads.Spread, err error) {
	if text == noLongHold {
		return 0, long, nil
	}
	every, times, ok := strings.Cut(text, ":")
	every, share := strings.CutPrefix(every, "1/")
	if !ok || !share {
		return 0, long, fmt.Errorf("it names no share of the sections and no time")
	}
	if n, err = strconv.Atoi(every); err != nil || n < 1 {
		return 0, long, fmt.Errorf("1/%s is no share of the sections", every)
	}
	long, err = workloads.ParseSpread(inTTLs(times, ttl))
	return n, long, err
}

var ttlShare = regexp.MustCompile(`(\d+(?:\.\d*)?|\.\d+)ttl`)

// inTTLs writes shares of the TTL as times: "0.4ttl" is "800ms" where the TTL is 2 s.
func inTTLs(text string, ttl time.Duration) string {
	return ttlShare.ReplaceAllStringFunc(text, func(s string) string {
		share, err := strconv.ParseFloat(strings.TrimSuffix(s, "ttl"), 64)
		if err != nil {
			return s
		}
		return time.Duration(share * float64(ttl)).String()
	})
}
