package workloads

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// NoLongHold is the text that ParseLongHold reads as no long sections.
const NoLongHold = "none"

// ParseLongHold reads one in how many sections is long, and how much longer: "1/50:3s" is one
// in fifty, 3 s longer. The time may have any form of ParseSpread, and name shares of the TTL:
// "1/100:0.4ttl-1.6ttl". n is 0 for NoLongHold.
func ParseLongHold(text string, ttl time.Duration) (n int, long Spread, err error) {
	if text == NoLongHold {
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
	long, err = ParseSpread(inTTLs(times, ttl))
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
