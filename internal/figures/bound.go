package figures

import (
	"fmt"
	"math"
)

// AtMost returns the upper bound of Clopper and Pearson: if k of n independent runs showed
// something, its probability in a run lies below the bound, with a confidence of 95 %.
func AtMost(k, n int) float64 {
	if n == 0 || k >= n {
		return 1
	}
	low, high := 0.0, 1.0
	for range 60 {
		if p := (low + high) / 2; orFewer(k, n, p) > 0.05 {
			low = p
		} else {
			high = p
		}
	}
	return high
}

// orFewer returns the probability of k or fewer of n, where each has the probability p.
func orFewer(k, n int, p float64) (sum float64) {
	logFactorial := func(n int) float64 {
		v, _ := math.Lgamma(float64(n) + 1)
		return v
	}
	for i := range k + 1 {
		ways := logFactorial(n) - logFactorial(i) - logFactorial(n-i)
		sum += math.Exp(ways + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
	}
	return sum
}

// Percent writes a bound, rounded up so that it stays one: "7.3 %", "23 %".
func Percent(p float64) string {
	const noise = 1e-9 // of the search in AtMost
	digits := 0
	if p < 0.1 {
		digits = 1
	}
	scale := math.Pow10(digits)
	return fmt.Sprintf("%.*f %%", digits, math.Ceil((p-noise)*100*scale)/scale)
}
