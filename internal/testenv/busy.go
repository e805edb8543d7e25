package testenv

import (
	"fmt"
	"os"
	"runtime"
	"time"
)

// Patience is how long a test waits for an event that must come.
const Patience = 5 * time.Minute

// Tries is how often Again tries.
const Tries = 4

// Again tries until it goes well, or fails while the machine was not busy: what takes a time of its
// own, such as a run of seconds, shows little on a machine that does not keep the time. There it tries
// up to four times. A defect fails each time. n counts the tries from 0.
func Again(t Logger, try func(n int) error) error { return again(t, Watch, try) }

// A Logger is a test, or a script of one.
type Logger interface {
	Logf(format string, args ...any)
}

func again(t Logger, watch func() (busy func() string), try func(n int) error) error {
	for n := 0; ; n++ {
		busy := watch()
		err := try(n)
		why := busy()
		if err == nil || why == "" || n+1 == Tries {
			return err
		}
		t.Logf("tried again, since %s: %v", why, err)
	}
}

const (
	look = 20 * time.Millisecond // between two looks at the machine
	late = 50 * time.Millisecond // a look that comes so late was kept waiting
)

// Watch looks at the machine until the function that it returns is called, which says why the machine
// was busy; "": it was not.
func Watch() (busy func() string) {
	stop, said := make(chan struct{}), make(chan string)
	go func() {
		var worst time.Duration
		running, looks := 0, 0
		for asked := time.Now(); ; asked = time.Now() {
			select {
			case <-stop:
				said <- whyBusy(worst, running, looks)
				return
			case <-time.After(look):
			}
			worst = max(worst, time.Since(asked)-look)
			running, looks = running+wanted(), looks+1
		}
	}()
	return func() string {
		close(stop)
		return <-said
	}
}

func whyBusy(worst time.Duration, running, looks int) string {
	switch {
	case worst >= late:
		return fmt.Sprintf("this process was kept waiting for %v", worst.Round(time.Millisecond))
	case looks > 0 && running > looks*runtime.NumCPU():
		return fmt.Sprintf("%.1f threads wanted %d processors", float64(running)/float64(looks), runtime.NumCPU())
	}
	return ""
}

// wanted is how many other threads want a processor now. It is 0 where the system does not say.
func wanted() (n int) {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	var average string
	if _, err := fmt.Sscanf(string(text), "%s %s %s %d/", &average, &average, &average, &n); err != nil {
		return 0
	}
	return max(n-1, 0) // this one
}
