package diagram_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"locktorture/checker"
	"locktorture/history"
	"locktorture/report/diagram"
	"locktorture/report/internal/sample"
)

const ms = int64(1e6)

// drawn returns the diagram of a history whose overrun is its write.
func drawn(t *testing.T, h ...history.Op) diagram.Diagram {
	var a checker.Anomaly
	for _, op := range h {
		if op.F == history.Write {
			a = checker.Anomaly{Kind: "overrun", Time: op.Time, Ops: []history.Op{op}}
		}
	}
	set := diagram.Choose(checker.Result{Properties: []checker.Property{{Anomalies: []checker.Anomaly{a}}}})
	if err := set.Read(history.History(h)); err != nil {
		t.Fatal(err)
	}
	return set.Drawn()[0]
}

func grant() []history.Op {
	return []history.Op{sample.Op(0, 1, history.Invoke, history.Acquire, 0), sample.Op(10, 1, history.OK, history.Acquire, 1)}
}

func told(at, until int64) history.Op {
	op := sample.Op(at, 1, history.OK, history.Ask, 1)
	op.SetValidity(until*ms, until*ms)
	return op
}

func refused(at int64, forRecord bool) history.Op {
	op := sample.Op(at, 1, history.Fail, history.Ask, 1)
	op.Refused, op.ForRecord = history.ByClient, forRecord
	return op
}

func write(at int64) history.Op {
	op := sample.Op(at, 1, history.OK, history.Write, 1)
	op.Store, op.Key, op.Value, op.Apply = history.Plain, "seckill/order/2/17", strings.Repeat("p8-bee52fc9", 3), 568
	return op
}

// What the harness asked for the record is its note, and no answer to the client, who goes on
// to write.
func TestAskForTheRecordIsANote(t *testing.T) {
	for _, forRecord := range []bool{true, false} {
		d := drawn(t, append(grant(), refused(60, forRecord), write(61))...)
		if d.Noted != forRecord {
			t.Errorf("for the record %v: noted %v", forRecord, d.Noted)
		}
		want := "0.060 s: c1 – asks its lease: it is over"
		if forRecord {
			want = "0.060 s: c1 – harness's note: lease 1 is over"
		}
		if !slices.Contains(d.Steps, want) {
			t.Errorf("no step %q in %q", want, d.Steps)
		}
	}
}

// The validity of a lease that was given back ends nothing; that of one whose release was not
// answered may.
func TestValidityBeyondTheRelease(t *testing.T) {
	for _, c := range []struct {
		name  string
		until int64
		end   history.Type
		drawn bool
	}{
		{"released before", 50, history.OK, false},
		{"release refused", 50, history.Fail, false},
		{"release of unknown outcome", 50, history.Info, true},
		{"released after", 39, history.OK, true},
	} {
		h := append(grant(), sample.Op(11, 1, history.Invoke, history.Ask, 1), told(11, c.until), write(30), sample.Op(40, 1, history.Invoke, history.Release, 1), sample.Op(46, 1, c.end, history.Release, 1))
		got := strings.Contains(strings.Join(drawn(t, h...).Steps, "\n"), "validity of lease 1 ends")
		if got != c.drawn {
			t.Errorf("%s: the end of its validity is drawn: %v", c.name, got)
		}
	}
}

// A label has its place between two neighbouring lifelines, and below the one before.
func TestLabelsMeetNothing(t *testing.T) {
	fault := history.Op{Time: 20 * ms, Process: history.Nemesis, Type: history.Info, F: history.Fault, Key: "clock", Node: "redis-1,redis-3", Fault: 1, Value: strings.Repeat("clocks of all ", 9)}
	second := []history.Op{sample.Op(12, 2, history.Invoke, history.Acquire, 0), sample.Op(25, 2, history.OK, history.Acquire, 2)}
	w := write(61)
	other := w
	other.Time, other.Client, other.Process, other.Lease = 62*ms, 2, 2, 2
	h := append(append(grant(), second...), refused(60, true), w, other)
	set := diagram.Choose(checker.Result{Properties: []checker.Property{{Anomalies: []checker.Anomaly{{Kind: "overrun", Ops: []history.Op{w, other}, Faults: []history.Op{fault}}}}}})
	if err := set.Read(history.History(h)); err != nil {
		t.Fatal(err)
	}
	d := set.Drawn()[0]
	below := 0
	for _, r := range d.Rows {
		for _, line := range r.Label {
			long := diagram.Letter * utf8.RuneCountInString(line.Text)
			left := r.TextX
			if r.Anchor == "middle" {
				left -= long / 2
			}
			for _, l := range d.Lines {
				if left < l.X+diagram.BarWidth/2 && left+long > l.X-diagram.BarWidth/2 {
					t.Errorf("%q from %d to %d meets the lifeline of %s at %d", line.Text, left, left+long, l.Name, l.X)
				}
			}
			if left+long > d.W || line.Y-12 < below {
				t.Errorf("%q at %d to %d, %d: beyond the drawing (%d), or on the label above (%d)", line.Text, left, left+long, line.Y, d.W, below)
			}
			below = line.Y
		}
	}
	if len(d.Lines) != 5 || len(d.Rows) < 8 {
		t.Errorf("%d lifelines, %d rows: they prove little", len(d.Lines), len(d.Rows))
	}
}
