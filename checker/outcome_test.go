package checker_test

import (
	"testing"

	"locktorture/checker"
	"locktorture/checker/invariant"
	"locktorture/history"
)

// What may have been built on a write of unknown outcome is not judged.
func TestWriteOfUnknownOutcome(t *testing.T) {
	o := bounded
	o.Model = ""
	for _, tt := range []struct {
		name string
		ends history.Type
		want bool
	}{
		{"the write in between is unknown", history.Info, false},
		{"the write in between never happened", history.Fail, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBuild()
			b.start(history.Plain, "counter", "0").grant(1, 1, 0, 10, 9000)
			b.store(1, history.Plain, history.Write, "counter", "1", 20, 30)
			b.store(1, history.Plain, history.Write, "counter", "2", 40, 50)
			b.store(1, history.Plain, history.Write, "counter", "3", 60, 70)
			b.release(1, 80, 90, history.OK)
			h := b.history(t)
			for i := range h {
				if h[i].Value == "2" && h[i].Type == history.OK {
					h[i].Apply, h[i].Type = 0, tt.ends
				}
			}
			r := checker.Check(h, o, invariant.Counter{})
			if got := r.Counts.Anomalies["lost-update"] > 0; got != tt.want {
				t.Errorf("lost-update %v, want %v: %+v", got, tt.want, r.Stores)
			}
		})
	}
}

// A client can have been told to die before its last grant returned; it died after it.
func TestKilledWhileItsGrantReturned(t *testing.T) {
	o := bounded
	o.Model = "mutex"
	b := newBuild()
	b.grant(1, 1, 0, 100, 9000).crash(1, 300)
	b.h[len(b.h)-1].UntilMin = 50 * ms
	b.grant(2, 2, 200, 400, 9000).release(2, 500, 510, history.OK)
	for _, p := range checker.Check(b.history(t), o, nil).Properties {
		if p.Name == "linearizability" && p.Status != checker.Kept {
			t.Errorf("%s: %s", p.Status, p.Reason)
		}
	}
}
