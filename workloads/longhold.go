package workloads

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// NoLongHold is the text for which ParseLongHold returns no long sections.
const NoLongHold = "none"

// ParseLongHold parses the frequency and the additional time of long sections: "1/50:3s" means one
// section in fifty, 3 s longer. The time may have any form of ParseSpread, with multiples of the
// TTL: "1/100:0.4ttl-1.6ttl". n is 0 for NoLongHold.
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

// inTTLs replaces multiples of the TTL by times: "0.4ttl" becomes "800ms" with a TTL of 2 s.
func inTTLs(text string, ttl time.Duration) string {
	return ttlShare.ReplaceAllStringFunc(text, func(s string) string {
		share, err := strconv.ParseFloat(strings.TrimSuffix(s, "ttl"), 64)
		if err != nil {
			return s
		}
		return time.Duration(share * float64(ttl)).String()
	})
}
