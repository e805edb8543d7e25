package workloads_test

import (
	"testing"
	"time"

	"locktorture/workloads"
)

// TestParseLongHold reads every form, and refuses what is near to one.
func TestParseLongHold(t *testing.T) {
	const ttl = 2 * time.Second
	for text, want := range map[string]struct {
		every int
		long  string
	}{
		"none":                    {0, ""},
		"1/50:3s":                 {50, "3s"},
		"1/100:0.4ttl-1.6ttl":     {100, "800ms-3.2s"},
		"1/2:exp:.5ttl":           {2, "exp:1s"},
		"1/9:lognormal:20ms,2ttl": {9, "lognormal:20ms,4s"},
	} {
		every, long, err := workloads.ParseLongHold(text, ttl)
		if err != nil || every != want.every || long.String() != want.long {
			t.Errorf("%s: one in %d, %q longer, %v; want one in %d, %q", text, every, long, err, want.every, want.long)
		}
	}
	for _, bad := range []string{"", "3s", "1/0:3s", "1/-1:3s", "1/x:3s", "50:3s", "1/50:", "1/50:ttl", "1/50:2ttl-1ttl", "1/50:-1ttl"} {
		if every, long, err := workloads.ParseLongHold(bad, ttl); err == nil {
			t.Errorf("%s: taken as one in %d, %q longer", bad, every, long)
		}
	}
}
