// Package sample is mutated by the test of the command.
package sample

// Clip is x within its bounds. That a bound is let through or put in its own place makes no difference.
func Clip(x, low, high int) int {
	if x < low {
		return low
	}
	if x > high {
		return high
	}
	return x
}

// Sum adds up to n numbers and leaves negative ones out.
func Sum(xs []int, n int) int {
	total := 0
	for i := 0; i < len(xs) && i < n; i++ {
		if xs[i] < 0 {
			continue
		}
		total += xs[i]
	}
	return total
}

// Both is asked by no test.
func Both(a, b bool) bool { return a && b }

// Steps counts down, and would count up for ever.
func Steps(n int) int {
	steps := 0
	for ; n > 0; n-- {
		steps++
	}
	return steps
}
