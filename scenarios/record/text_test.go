package record_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"locktorture/report"
	"locktorture/scenarios/record"
)

// TestText: a line for each case that is as expected; of any other, what must be seen.
func TestText(t *testing.T) {
	table := []record.Tally{
		{Scenario: "gc-pause", Backend: "redis-set", Expected: "unsafe", Seen: "unsafe + overrun", Of: 5, AsExpect: 5, Seconds: 4.25},
		{Scenario: "herd", Backend: "zookeeper", Variant: "of 20", Expected: "safe; client 2 was refused", Seen: "stuck: c1 was not granted herd", Of: 2, AsExpect: 1, Seconds: 10,
			Measures: []report.Measure{{Name: "wake-ups", Value: "19"}}},
		{Scenario: "gc-pause", Backend: "kazoo", Skipped: "no ZooKeeper on this machine"},
	}
	want := `expected  time    seen
5 of 5    4.2 s   gc-pause with redis-set: unsafe + overrun
1 of 2    10.0 s  herd with zookeeper (of 20): stuck: c1 was not granted herd;
                  wake-ups 19; must be safe; c2 was refused
–         –       gc-pause with kazoo: not played: no ZooKeeper on this machine
6 of 7 as expected in 31 s; not played: 1
`
	var out bytes.Buffer
	if err := record.Text(&out, 80, table, 31*time.Second); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, out.String()); d != "" {
		t.Error(d)
	}
}
