package child_test

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"locktorture/internal/child"
)

// A part of a child is stopped by its name, and the rest goes on, also what has left the group and
// lost its parent; a pause of the whole reaches that too.
func TestPausePart(t *testing.T) {
	cmd, n := shell("(setsid sleep N & exit); while :; do read -r _ </dev/null; done")
	c := start(t, cmd, child.Options{Roams: true, Sweep: true})
	left := asleep(t, n)
	until(t, "a group of its own", func() bool { g, err := syscall.Getpgid(left); return err == nil && g == left })
	resume, err := c.PausePart(within(t, 10*time.Second), "sleep")
	must(t, err)
	if state(left) != "T" || state(c.PID()) == "T" {
		t.Errorf("the part is in state %q, the rest in %q", state(left), state(c.PID()))
	}
	resume()
	until(t, "the part goes on", func() bool { return state(left) == "S" })
	if _, err := c.PausePart(within(t, 10*time.Second), "patroni"); err == nil || !strings.Contains(err.Error(), "none of its processes is called patroni; there are: sh, sleep") {
		t.Errorf("a name that nobody has: %v", err)
	}
	must(t, c.Pause(within(t, 10*time.Second)))
	if state(left) != "T" {
		t.Errorf("state %q after a pause of the whole", state(left))
	}
	must(t, c.Kill(within(t, 10*time.Second)))
	until(t, "gone", func() bool { return state(left) == "" })
}
