package harness_test

import (
	"testing"
	"time"

	"locktorture/harness"
)

// TestParseArrivals reads every form, and refuses what is near to one.
func TestParseArrivals(t *testing.T) {
	for text, want := range map[string]harness.Arrivals{
		"closed":      {},
		"poisson:200": {Rate: 200},
		"even:0.5":    {Rate: 0.5, Even: true},
		"burst:5s":    {Burst: 5 * time.Second},
	} {
		if got, err := harness.ParseArrivals(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", text, got, err, want)
		}
	}
	for _, bad := range []string{"", "closed:1", "poisson", "poisson:0", "even:-1", "even:1e7", "even:NaN", "burst:5", "burst:0s", "often"} {
		if got, err := harness.ParseArrivals(bad); err == nil {
			t.Errorf("%s: taken as %+v", bad, got)
		}
	}
}
