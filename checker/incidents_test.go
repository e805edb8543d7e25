package checker_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"locktorture/checker"
	"locktorture/checker/invariant"
	"locktorture/history"
)

// addUp fails the test where an anomaly is in no incident, or in two.
func addUp(t *testing.T, r checker.Result) {
	t.Helper()
	sum := map[string]int{}
	for kind, n := range r.Incidents.Rest {
		sum[kind] += n
	}
	for _, i := range r.Incidents.List {
		for kind, n := range i.Anomalies {
			sum[kind] += n
		}
		if w := i.Witness; w.Kind == "" || i.Anomalies[w.Kind] == 0 || w.Incident != i.Number || w.Sentence == "" || i.End < i.Start {
			t.Errorf("incident %d from %d to %d, %v: its witness is %q", i.Number, i.Start, i.End, i.Anomalies, w.Sentence)
		}
	}
	all := r.Counts.Anomalies
	if len(all) == 0 {
		all = map[string]int{}
	}
	if d := cmp.Diff(all, sum); d != "" {
		t.Errorf("the anomalies of the incidents are not all anomalies: %s", d)
	}
	n := 0
	for _, c := range r.Incidents.Causes {
		n += c.Incidents
	}
	if n != r.Incidents.Total || len(r.Incidents.List) > n {
		t.Errorf("%d incidents, %d with a cause, %d listed", r.Incidents.Total, n, len(r.Incidents.List))
	}
}

// TestIncidentCause: to which of the faults in place an incident is put down.
func TestIncidentCause(t *testing.T) {
	double := func(b *build) *build { return b.grant(1, 1, 100, 110, 2000).grant(2, 2, 1000, 1900, 3900) }
	over := func(b *build) *build {
		return b.grant(1, 1, 100, 110, 2000).store(1, plain, history.Write, "counter", "1", 2500, 2501).grant(2, 2, 1000, 2200, 4100)
	}
	dead := func(b *build) *build {
		return b.grant(1, 1, 0, 10, 0).crash(1, 1000).try(2, 500, 4351, history.Fail, history.ByTime)
	}
	for _, c := range []struct {
		name string
		opt  checker.Options
		make func(b *build)
		want string
	}{
		{"none was in place", bounded, func(b *build) { double(b) }, ""},
		{"the clock of a server rather than a stop of the holder", bounded, func(b *build) {
			double(b).fault("clock", 1, 0, "n1", 1500, 1800).fault("pause", 2, 1, "c1", 1600, 1850)
		}, "clock"},
		{"the later of two clocks", bounded, func(b *build) {
			double(b).fault("clock", 1, 0, "n1", 700, 1400).fault("failover", 2, 0, "n1", 1500, 1800)
		}, "failover"},
		{"a clock that jumped afterwards", bounded, func(b *build) { double(b).fault("clock", 1, 0, "n1", 2500, 2600) }, ""},
		{"the holder who went on was stopped", bounded, func(b *build) {
			over(b).fault("clock", 1, 0, "n1", 1500, 1800).fault("pause", 2, 1, "c1", 1000, 2400)
		}, "pause of a client"},
		{"another client was stopped", bounded, func(b *build) { over(b).fault("pause", 2, 3, "c3", 1000, 2400) }, ""},
		{"a killed holder", mutex, func(b *build) { dead(b).fault(killed, 1, 1, "c1", 990, 1100) }, killed + " of a client"},
		{"the other holder was killed only afterwards", bounded, func(b *build) {
			double(b).release(2, 2000, 2001, history.OK).killedAt(2, 2150, 2200).fault(killed, 1, 2, "c2", 2300, 2301)
		}, ""},
		{"it gave no sign of life since its grant", bounded, func(b *build) {
			double(b).crash(2, 2200).fault(killed, 1, 2, "c2", 2300, 2301)
		}, killed + " of a client"},
		{"it gave one, and was killed after that", bounded, func(b *build) {
			double(b).ask(2, 1950, 1951, 3900, 3900).crash(2, 2200).fault(killed, 1, 2, "c2", 2300, 2301)
		}, ""},
		{"killed long before", mutex, func(b *build) { dead(b).fault(killed, 1, 3, "c3", -1, -1) }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBuild()
			if c.name == "killed long before" {
				b.fault(killed, 1, 3, "c3", 0, 0).grant(3, 7, 1, 2, 0).release(7, 3, 4, history.OK)
				b.grant(1, 1, 5, 10, 0).release(1, 1900, 2000, history.OK).try(2, 500, 5400, history.Fail, history.ByTime)
			} else {
				c.make(b)
			}
			r := checker.Check(b.history(t), c.opt, nil)
			addUp(t, r)
			if len(r.Incidents.List) != 1 {
				t.Fatalf("%d incidents: %s", r.Incidents.Total, r.Sentence)
			}
			got := ""
			if f := r.Incidents.List[0].Cause; f != nil {
				if got = f.Kind(); f.Client > 0 {
					got += " of a client"
				}
			}
			if got != c.want {
				t.Errorf("blamed on %q, want %q", got, c.want)
			}
		})
	}
}

// TestIncidentsOfOneFault: chains of leases that have none in common are one incident if the
// same fault is behind both.
func TestIncidentsOfOneFault(t *testing.T) {
	for _, c := range []struct {
		name   string
		faults func(b *build) *build
		want   int
	}{
		{"no fault", func(b *build) *build { return b }, 2},
		{"one clock that jumped", func(b *build) *build { return b.fault("clock", 1, 0, "n1", 90, 3300) }, 1},
		{"a clock that jumped twice", func(b *build) *build {
			return b.fault("clock", 1, 0, "n1", 90, 200).fault("clock", 2, 0, "n1", 2980, 3300)
		}, 2},
		{"a jump, and another chain by itself", func(b *build) *build { return b.fault("clock", 1, 0, "n1", 90, 200) }, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBuild()
			b.grant(1, 1, 100, 110, 2000).grant(2, 2, 120, 130, 2030).release(1, 140, 141, history.OK).release(2, 140, 141, history.OK)
			b.grant(1, 3, 3000, 3010, 5000).grant(2, 4, 3020, 3030, 5030).release(3, 3040, 3041, history.OK).release(4, 3040, 3041, history.OK)
			r := checker.Check(c.faults(b).history(t), bounded, nil)
			addUp(t, r)
			if r.Incidents.Total != c.want || r.Counts.Anomalies["double-grant"] != 2 {
				t.Errorf("%d incidents, want %d: %v", r.Incidents.Total, c.want, r.Counts.Anomalies)
			}
		})
	}
}

// TestIncidentCost: what each of two incidents cost.
func TestIncidentCost(t *testing.T) {
	b := newBuild().start(plain, "counter", "0")
	section := func(lease int64, read, write string, at int64) {
		b.store(lease, plain, history.Read, "counter", read, at, at+1).store(lease, plain, history.Write, "counter", write, at+2, at+3)
	}
	b.grant(1, 1, 0, 10, 2000).grant(2, 2, 20, 30, 2030)
	b.store(1, plain, history.Read, "counter", "0", 31, 32)
	section(2, "0", "1", 40)
	b.store(1, plain, history.Write, "counter", "1", 50, 51) // the update of lease 2 is lost
	b.release(1, 60, 61, history.OK).release(2, 60, 61, history.OK)
	b.grant(3, 3, 4000, 4010, 6000)
	section(3, "1", "2", 4020)
	b.release(3, 4030, 4031, history.OK)
	b.grant(1, 4, 5000, 5010, 7000).grant(2, 5, 5020, 5030, 7030)
	b.store(4, plain, history.Read, "counter", "2", 5031, 5032)
	section(5, "2", "3", 5040)
	b.store(4, plain, history.Write, "counter", "3", 5050, 5051)
	o := bounded
	o.Model = ""
	r := checker.Check(b.history(t), o, invariant.Counter{})
	addUp(t, r)
	var got []string
	for _, i := range r.Incidents.List {
		got = append(got, fmt.Sprint(time.Duration(i.Start), time.Duration(i.End), i.Anomalies, i.Lost))
	}
	want := []string{
		"30ms 51ms map[double-grant:1 lost-update:1] [{plain 1 updates}]",
		"5.03s 5.051s map[double-grant:1 lost-update:1] [{plain 1 updates}]",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for _, p := range r.Properties {
		if p.Name == checker.Exclusion && (len(p.Anomalies) != 2 || p.Anomalies[0].Incident != 1 || p.Anomalies[1].Incident != 2) {
			t.Errorf("the witnesses are not one for each incident: %+v", p.Anomalies)
		}
	}
}

// TestManyIncidents: a kind that comes last is listed all the same, and the others are
// counted.
func TestManyIncidents(t *testing.T) {
	b := newBuild()
	lease := int64(0)
	for i := range int64(300) {
		at := i * 5000
		b.grant(1, lease+1, at, at+10, at+2000).grant(2, lease+2, at+20, at+30, at+2030)
		b.release(lease+1, at+40, at+41, history.OK).release(lease+2, at+40, at+41, history.OK)
		lease += 2
	}
	end := int64(300 * 5000)
	b.grant(1, 1000, end, end+10, end+2000).crash(1, end+2100).try(2, end+10, end+9000, history.Fail, history.ByServer)
	r := checker.Check(b.history(t), bounded, nil)
	addUp(t, r)
	if r.Incidents.Total != 301 || len(r.Incidents.List) != 100 || r.Incidents.Rest["double-grant"] != 201 {
		t.Errorf("%d incidents, %d listed, not listed %v", r.Incidents.Total, len(r.Incidents.List), r.Incidents.Rest)
	}
	if last := r.Incidents.List[len(r.Incidents.List)-1]; last.Number != 301 || last.Anomalies["deadlock"] != 1 {
		t.Errorf("the last that is listed is %d: %v", last.Number, last.Anomalies)
	}
}
