package runs

import (
	"strings"
	"testing"
	"time"
)

// TestHolds shows how long sections hold their locks, by the flags.
func TestHolds(t *testing.T) {
	const ttl = 2 * time.Second
	for _, tt := range []struct {
		name, hold, long string
		short            time.Duration // by how much the run lasts less than five TTLs
		want             string
	}{
		{"by default some last to a watchdog's tick and beyond the TTL", "", "", 0, "sections hold for 2ms-5ms, and one in 100 for 800ms-3.2s more"},
		{"a run that is too short for them", "", "", 1, "sections hold for 2ms-5ms"},
		{"unless they are asked for", "", "1/50:3s", 1, "sections hold for 2ms-5ms, and one in 50 for 3s more"},
		{"who says how long means all", "1ms", "", 0, "sections hold for 1ms"},
		{"both", "1ms", "1/50:3s", 0, "sections hold for 1ms, and one in 50 for 3s more"},
		{"none of them", "", "none", 0, "sections hold for 2ms-5ms"},
		{"a share of the TTL", "", "1/2:exp:.5ttl", 0, "sections hold for 2ms-5ms, and one in 2 for exp:1s more"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := Spec{TTL: ttl, Duration: 5*ttl - tt.short, loadSpec: loadSpec{Hold: tt.hold, LongHold: tt.long}}
			if got := l.holds(); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if _, err := l.config(); err != nil {
				t.Error(err)
			}
		})
	}
	for _, bad := range []string{"3s", "1/0:3s", "1/x:3s", "50:3s", "1/50:", "1/50:ttl", "1/50:2ttl-1ttl", "1/50:-1ttl"} {
		if _, err := (&Spec{TTL: ttl, loadSpec: loadSpec{LongHold: bad}}).config(); err == nil || !strings.Contains(err.Error(), bad) {
			t.Errorf("--long-hold %s: %v", bad, err)
		}
	}
}
