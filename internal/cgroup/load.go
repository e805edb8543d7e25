package cgroup

import (
	"fmt"
	"os"
)

// Load returns the average number of tasks that wanted a processor in the last minute. ok is
// false where the system does not say.
func Load() (average float64, ok bool) {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0, false
	}
	_, err = fmt.Sscan(string(text), &average)
	return average, err == nil
}
