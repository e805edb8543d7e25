package meter

import (
	"bytes"
	"testing"
	"time"

	"locktorture/checker"
	"locktorture/harness"
)

// TestPlainLines: where there is no terminal a line comes every five seconds, and each
// violation once.
func TestPlainLines(t *testing.T) {
	run := func(quiet bool) string {
		var out bytes.Buffer
		m := New(&out, 10*time.Second, quiet)
		m.Update(harness.Progress{Elapsed: 1 * time.Second, Ops: 50})
		m.Update(harness.Progress{Elapsed: 5 * time.Second, Ops: 4500, Grants: 1234, Struck: 2, Refused: 1, InPlace: []string{"pause", "clock"}})
		m.Found(checker.Anomaly{Kind: "double-grant", Sentence: "c4 was granted seckill at 3.218 s although c2's lease 5, granted at 1.283 s, was declared valid until at least 3.258 s"})
		m.Found(checker.Anomaly{Kind: "nonlinearizable", Sentence: "no order"})
		m.Update(harness.Progress{Elapsed: 6 * time.Second, Ops: 4600})
		m.Say("the disk is full")
		m.Update(harness.Progress{Elapsed: 15 * time.Second, Ops: 4700, Grants: 1, Struck: 1, InPlace: []string{"clock"}})
		m.Update(harness.Progress{Elapsed: 20 * time.Second, Ops: 5000, Grants: 1, Struck: 1, Tail: true})
		m.Done()
		return out.String()
	}
	const want = ` 5.0 of 10 s  4,500 operations (1,112/s)  1,234 grants  2 faults  1 rejected  [pause clock]
first double-grant: c4 was granted seckill at 3.218 s although c2's lease 5,
  granted at 1.283 s, was declared valid until at least 3.258 s
first linearizability violation: no order
the disk is full
15.0 s: healing  4,700 operations (11/s)  1 grant  1 fault  [clock]
20.0 s: healed, waiting for each lock  5,000 operations (60/s)  1 grant  1 fault
`
	if got := run(false); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got := run(true); got != "the disk is full\n" {
		t.Errorf("quiet: %q", got)
	}
}

// TestLastViolation: what is found when the run is over is told as well.
func TestLastViolation(t *testing.T) {
	var out bytes.Buffer
	m := New(&out, time.Second, false)
	m.Found(checker.Anomaly{Kind: "oversold", Sentence: "101 of 100"})
	m.Done()
	if got := out.String(); got != "first oversold: 101 of 100\n" {
		t.Errorf("%q", got)
	}
}
