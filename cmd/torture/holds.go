package main

import (
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
)

// longHold is the effective value of --long-hold. Who says how long sections hold means all of them.
func (l *loadSpec) longHold() string {
	switch {
	case l.LongHold != "":
		return l.LongHold
	case l.Hold != "":
		return noLongHold
	}
	return usualLongHold
}

// holds says how long the locks are held.
func (l *loadSpec) holds(ttl time.Duration) string {
	hold := l.Hold
	if hold == "" {
		hold = usualHold
	}
	n, long, err := parseLongHold(l.longHold(), ttl)
	if n == 0 || err != nil {
		return "sections hold for " + hold
	}
	return fmt.Sprintf("sections hold for %s, and one in %d for %s more", hold, n, long)
}

// config is what the flags tell a workload.
func (l *loadSpec) config(ttl time.Duration) (workloads.Config, error) {
	c := workloads.Config{Hot: l.Hot}
	for _, flag := range []struct {
		name, text string
		to         *workloads.Spread
	}{{"hold", l.Hold, &c.Hold}, {"think", l.Think, &c.Think}} {
		if flag.text == "" {
			continue
		}
		s, err := workloads.ParseSpread(flag.text)
		if err != nil {
			return c, usage("--%s: %v", flag.name, err)
		}
		*flag.to = s
	}
	n, long, err := parseLongHold(l.longHold(), ttl)
	if err != nil {
		return c, usage("--long-hold %q: none, or one like 1/50:3s or 1/50:0.4ttl-1.6ttl: %v", l.LongHold, err)
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
