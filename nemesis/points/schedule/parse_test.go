package schedule_test

import (
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"locktorture/nemesis/points/schedule"
)

// A schedule is read as it is written, with comments and blank lines left out.
func TestParse(t *testing.T) {
	text, err := os.ReadFile("testdata/all.txt")
	if err != nil {
		t.Fatal(err)
	}
	s, err := schedule.Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	seen := map[schedule.Kind]bool{}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "at ") {
			lines = append(lines, line)
		}
	}
	for _, d := range s {
		seen[d.Kind] = true
	}
	if got, want := s.String(), strings.Join(lines, ""); got != want {
		t.Errorf("written again:\n%s\nread:\n%s", got, want)
	}
	for _, k := range schedule.Kinds() {
		if !seen[k] {
			t.Errorf("testdata/all.txt has no %s", k)
		}
	}
	again, err := schedule.Parse(s.String())
	if err != nil || !reflect.DeepEqual(again, s) {
		t.Errorf("%v: %v, want %v", err, again, s)
	}
	if err := s.Check(3, 5); err != nil {
		t.Error(err)
	}
}

// The parts of a decision are what the line says.
func TestDecision(t *testing.T) {
	d, err := schedule.ParseDecision("at c2 reply SET=OK redis-4 #7: clock nodes=1,3 by=-1.5s for=9ms")
	if err != nil {
		t.Fatal(err)
	}
	want := schedule.Decision{
		At:   schedule.Point{Client: 2, Kind: schedule.Reply, What: "SET=OK", Node: 4, Ordinal: 7},
		Kind: schedule.Clock, Nodes: []int{1, 3}, By: -1500 * time.Millisecond, For: 9 * time.Millisecond,
	}
	if !reflect.DeepEqual(d, want) {
		t.Errorf("%+v, want %+v", d, want)
	}
	if got := d.At.Class(); got != "reply SET=OK" {
		t.Errorf("class %q", got)
	}
	for line, want := range map[string][]int{
		"at c1 send SET redis-4 #1: hold for=1s":            {4},
		"at c1 send SET redis-4 #1: hold nodes=1,2 for=1s":  {1, 2},
		"at c1 send SET redis-4 #1: pause for=1s":           nil,
		"at c1 gate write #1: stop nodes=5 for=1s":          {5},
		"at c1 send SET redis-4 #1: restart for=1s":         {4},
		"at c1 reply SET=OK redis-2 #1: clock by=1s for=1s": {2},
	} {
		d, err := schedule.ParseDecision(line)
		if got := d.Strikes(); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %v: strikes %v, want %v", line, err, got, want)
		}
	}
}

// What is wrong is refused with the line and the cause.
func TestRefused(t *testing.T) {
	long := strings.Repeat("x", 1001)
	for text, want := range map[string]string{
		"# one\n\nat c1 gate write #1: pauze for=1s": `schedule line 3: "at c1 gate write #1: pauze for=1s": kind of fault: there is no "pauze"; did you mean pause?`,
		"pause":                                                 `a line is "at POINT: KIND`,
		"at c1 gate write #1: ":                                 `a line is "at POINT: KIND`,
		"at c1 gate write #1:pause":                             `a line is "at POINT: KIND`,
		"at c1 write #1: kill":                                  "a point is",
		"at c01 gate write #1: kill":                            "clients are numbered from 1 to 1000, not 01",
		"at c0 gate write #1: kill":                             "clients are numbered",
		"at c1 gate write #0: kill":                             "points of a name are numbered from 1 to 1000000, not 0",
		"at c1 gate a redis-1 #1: kill":                         "a gate belongs to a client",
		"at c1 send SET #1: kill":                               "the point of a message must name its server",
		"at c1 gate write etcd #1: kill":                        "a gate belongs to a client",
		"at c1 send Txn etcd #1: stop for=1s":                   "stop: it needs nodes=",
		"at c1 send SET redis-100 #1: kill":                     "servers are numbered from 1 to 99",
		"at c1 gate write #1: pause":                            "pause: it needs for=",
		"at c1 gate write #1: pause nodes=1 for=1s":             "pause: it has no nodes=",
		"at c1 gate write #1: kill for=1s":                      "kill: it has no for=",
		"at c1 gate write #1: hold for=1s":                      "hold: it needs nodes=",
		"at c1 gate write #1: drop":                             "drop hits a message",
		"at c1 gate write #1: clock nodes=2,1 by=1s for=1s":     "in ascending order, each only once",
		"at c1 gate write #1: stop nodes=1,,2 for=1s":           `nodes= takes leader, or numbers with commas, such as 1,2,5, not "1,,2"`,
		"at c1 gate write #1: pause nodes=leader for=1s":        "pause: it has no nodes=",
		"at c1 gate write #1: pause for=0s":                     `for= takes a time, such as 458ms or 1.5s, not "0s"`,
		"at c1 gate write #1: pause for=-1s":                    "for= must be from 1ns to 1h0m0s, not -1s",
		"at c1 gate write #1: pause for=2h":                     "for= must be from 1ns to 1h0m0s, not 2h0m0s",
		"at c1 gate write #1: skew by=25h for=1s":               "by= must be at most 24h0m0s in either direction, not 25h0m0s",
		"at c1 gate write #1: pause for=1s for=1s":              "for= is given twice",
		"at c1 gate write #1: pause fro=1s":                     `parameter: there is no "fro"; did you mean for?`,
		"at c1 gate write #1: stop nodes=1 for=1s data=lost":    "stop: it has no data=",
		"at c1 gate write #1: restart nodes=1 for=1s data=kept": "data= must be lost, or left out",
		"at " + long + ": kill":                                 "a line has at most 1000 bytes",
		strings.Repeat("at c1 gate write #1: kill\n", 1001):     "at most 1000 faults",
		strings.Repeat("\n", schedule.MostBytes+1):              "at most 262144 bytes",
	} {
		if s, err := schedule.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, %v, want %q", text, s, err, want)
		}
	}
}

// A schedule fits a run that has its clients and its servers.
func TestCheck(t *testing.T) {
	for line, want := range map[string]string{
		"at c3 gate write #1: kill":                    "there is no client 3: they are numbered from 1 to 2",
		"at c1 send SET redis-2 #1: kill":              "there is no server 2: they are numbered from 1 to 1",
		"at c1 gate write #1: stop nodes=1,5 for=10ms": "there is no server 5",
	} {
		s, err := schedule.Parse(line)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Check(2, 1); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "fault 1") {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
	if err := (schedule.Schedule{{Kind: schedule.Kill}}).Check(1, 1); err == nil {
		t.Error("a decision without a point was taken")
	}
}

// FuzzParse: what is read can be written and is read the same again.
func FuzzParse(f *testing.F) {
	text, err := os.ReadFile("testdata/all.txt")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(text))
	f.Add("at c1 gate write #1: pause for=1h")
	f.Add("at c1 send SET redis-2 #3: clock by=-0.001us for=1.5s\n#")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := schedule.Parse(text)
		if err != nil {
			return
		}
		again, err := schedule.Parse(s.String())
		if err != nil || !reflect.DeepEqual(again, s) {
			t.Errorf("%q: %v: %v, want %v", text, err, again, s)
		}
	})
}
