package faults_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"locktorture/nemesis"
	"locktorture/nemesis/points/faults"
	"locktorture/nemesis/points/schedule"
)

// Each kind has a fault that is declared, strikes whom the line names, and tells what was
// seen.
func TestStep(t *testing.T) {
	var declared []string
	for _, f := range faults.All() {
		declared = append(declared, f.Traits().Name)
	}
	seen := map[schedule.Kind]bool{}
	for line, want := range map[string]struct {
		step nemesis.Step
		seen string
	}{
		"at c2 gate write #1: pause for=1ns":                      {nemesis.Step{Fault: "pause", Clients: []int{2}}, "stopped c2"},
		"at c2 send SET redis-1 #1: kill":                         {nemesis.Step{Fault: "kill-client", Clients: []int{2}}, "killed c2"},
		"at c1 send SET redis-1 #1: skew by=1s for=1ns":           {nemesis.Step{Fault: "client-clock", Clients: []int{1}, Offset: 1e9}, "clock of c1 tells +1.000 s"},
		"at c1 reply SET=OK redis-2 #1: hold for=1ns":             {nemesis.Step{Fault: "hold", Clients: []int{1}, Nodes: []int{1}}, "held back replies of c1 and s2"},
		"at c1 send SET redis-2 #1: drop":                         {nemesis.Step{Fault: "drop", Clients: []int{1}, Nodes: []int{1}}, "lost a message of c1 and s2, and their connection"},
		"at c1 gate read #1: reset nodes=1,3":                     {nemesis.Step{Fault: "reset", Clients: []int{1}, Nodes: []int{0, 2}}, "reset the connection of c1 and s1, s3"},
		"at c1 send SET redis-2 #1: reorder for=1ns":              {nemesis.Step{Fault: "hold", Clients: []int{1}, Nodes: []int{1}}, "held back a message of c1 and s2 until another passes"},
		"at c1 gate read #1: clock nodes=3 by=-1s for=1ns":        {nemesis.Step{Fault: "clock", Nodes: []int{2}, Offset: -1e9}, "clocks of s3 tell -1.000 s"},
		"at c1 gate read #1: stop nodes=1 for=1ns":                {nemesis.Step{Fault: "pause", Nodes: []int{0}}, "s1 stopped"},
		"at c1 send GET redis-1 #1: restart for=1ns data=lost":    {nemesis.Step{Fault: "restart", Nodes: []int{0}, Wipe: true}, "s1 killed, data emptied"},
		"at c1 send GET redis-1 #1: restart nodes=2,3 for=1ns":    {nemesis.Step{Fault: "restart", Nodes: []int{1, 2}}, "s2, s3 killed, data kept"},
		"at c3 reply GET=nil redis-1 #1: hold nodes=2,3 for=1ns":  {nemesis.Step{Fault: "hold", Clients: []int{3}, Nodes: []int{1, 2}}, "held back replies of c3 and s2, s3"},
		"at c1 gate release #1: hold nodes=1 for=1ns":             {nemesis.Step{Fault: "hold", Clients: []int{1}, Nodes: []int{0}}, "held back requests of c1 and s1"},
		"at c1 reply SET=OK redis-2 #1: reorder for=1ns":          {nemesis.Step{Fault: "hold", Clients: []int{1}, Nodes: []int{1}}, "held back a message of c1 and s2 until another passes"},
		"at c1 reply SET=OK redis-2 #1: reset":                    {nemesis.Step{Fault: "reset", Clients: []int{1}, Nodes: []int{1}}, "reset the connection of c1 and s2"},
		"at c1 reply SET=OK redis-2 #1: clock by=1s for=1ns":      {nemesis.Step{Fault: "clock", Nodes: []int{1}, Offset: 1e9}, "clocks of s2 tell +1.000 s"},
		"at c1 gate read #1: cut nodes=2 for=1ns":                 {nemesis.Step{Fault: "cut", Nodes: []int{1}}, "s2 cut off from the other servers"},
		"at c1 gate read #1: compact":                             {nemesis.Step{Fault: "compact"}, "the servers discarded their history"},
		"at c1 gate read #1: revoke":                              {nemesis.Step{Fault: "revoke"}, "the lease of the newest key was ended on the servers"},
		"at c1 gate read #1: eio nodes=1 for=1ns":                 {nemesis.Step{Fault: "eio", Nodes: []int{0}}, "each fsync fails on s1"},
		"at c1 gate read #1: blackout nodes=1 for=1ns":            {nemesis.Step{Fault: "blackout", Nodes: []int{0}}, "s1 without power, data without fsync lost"},
		"at c1 gate read #1: power nodes=1 for=1ns":               {nemesis.Step{Fault: "power", Nodes: []int{0}}, "disks of s1 keep nothing until their power fails"},
		"at c1 gate read #1: fsync nodes=1 for=1ns":               {nemesis.Step{Fault: "fsync", Nodes: []int{0}}, "no fsync returns on s1"},
		"at c1 reply SET=OK redis-2 #1: stop nodes=1,2,3 for=1ns": {nemesis.Step{Fault: "pause", Nodes: []int{0, 1, 2}}, "s1, s2, s3 stopped"},
	} {
		d, err := schedule.ParseDecision(line)
		if err != nil {
			t.Fatal(err)
		}
		seen[d.Kind] = true
		want.step.N, want.step.For = 4, d.For
		if got := faults.Step(d, 4); !reflect.DeepEqual(got, want.step) || !slices.Contains(declared, got.Fault) {
			t.Errorf("%s: %+v, want %+v, one of %v", line, got, want.step, declared)
		}
		text := faults.Seen(d, func(n int) string { return "s" + string(rune('0'+n)) })
		if what, at, _ := strings.Cut(text, " at "); what != want.seen || at != d.At.String() {
			t.Errorf("%s: seen %q, want %q at %v", line, text, want.seen, d.At)
		}
	}
	for _, k := range schedule.Kinds() {
		if !seen[k] {
			t.Errorf("%s is not tried", k)
		}
	}
}
