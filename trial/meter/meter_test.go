package meter

import (
	"bytes"
	"testing"
	"time"

	"locktorture/harness"
)

// TestPlainLines: where there is no terminal a line comes every five seconds, and the first violation once.
func TestPlainLines(t *testing.T) {
	run := func(quiet bool) string {
		var out bytes.Buffer
		m := New(&out, 10*time.Second, quiet)
		m.Update(harness.Progress{Elapsed: 1 * time.Second, Ops: 50}, "")
		m.Update(harness.Progress{Elapsed: 5 * time.Second, Ops: 450, Grants: 7, Struck: 2, Refused: 1, InPlace: []string{"pause", "clock"}}, "")
		m.Update(harness.Progress{Elapsed: 6 * time.Second, Ops: 460}, "two holders")
		m.Say("the disk is full")
		m.Update(harness.Progress{Elapsed: 11 * time.Second, Ops: 500, Tail: true}, "two holders")
		m.Done("two holders")
		return out.String()
	}
	const want = ` 5.0/10s  450 ops (100/s)  7 grants  2 faults  1 stale refused  [pause clock]
first violation: two holders
the disk is full
healed, waiting for every lock to be granted once more  500 ops (8/s)  0 grants  0 faults
`
	if got := run(false); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got := run(true); got != "the disk is full\n" {
		t.Errorf("quiet: %q", got)
	}
}

// TestLastViolation: what the monitor finds when the run is over is told as well.
func TestLastViolation(t *testing.T) {
	var out bytes.Buffer
	New(&out, time.Second, false).Done("two holders")
	if got := out.String(); got != "first violation: two holders\n" {
		t.Errorf("%q", got)
	}
}
