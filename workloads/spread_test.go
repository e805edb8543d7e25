package workloads_test

import (
	"math/rand/v2"
	"testing"

	"locktorture/workloads"
)

// FuzzSpread: what is accepted is read again from what it prints, and is drawn from without a
// panic or a negative time, also near the end of what a duration can be.
func FuzzSpread(f *testing.F) {
	for _, text := range []string{"2ms", "1ms-5ms", "exp:2ms", "lognormal:2ms,50ms", "0-2562047h47m16.854775807s", "exp:2562047h", "lognormal:1ns,2562047h", "lognormal:1h,1h", "0s-0s", "-1s", "1e3s", ""} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := workloads.ParseSpread(text)
		if err != nil {
			return
		}
		again, err := workloads.ParseSpread(s.String())
		if err != nil || again != s {
			t.Errorf("%q is %q, which is read as %q, %v", text, s, again, err)
		}
		r := rand.New(rand.NewPCG(1, 2))
		for range 20 {
			if d := s.Draw(r); d < 0 {
				t.Errorf("%q: drawn %d", text, d)
			}
		}
	})
}
