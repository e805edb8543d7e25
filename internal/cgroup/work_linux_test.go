package cgroup

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

// A reading sees the work of a child while it runs and after it was waited for, and takes none of it
// for that of others.
func TestOwnWork(t *testing.T) {
	before := Worked()
	if before.all == 0 {
		t.Fatal("nothing was read")
	}
	// The shell's own child works; both end with the input.
	cmd := exec.Command("sh", "-c", "sh -c 'while :; do :; done' & read line; kill $!; wait")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	const enough = 10
	for Worked().own < before.own+enough {
		time.Sleep(10 * time.Millisecond)
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	after := Worked()
	if after.own < before.own+enough {
		t.Errorf("%d ticks of its own before, %d after the child had ended", before.own, after.own)
	}
	if all, others := after.busy-before.busy, after.own-before.own; others > all+all/10+2 {
		t.Errorf("%d ticks of its own of %d busy ones", others, all)
	}
}

func TestOthers(t *testing.T) {
	earlier := Work{all: 1000, busy: 500, own: 100}
	for name, tt := range map[string]struct {
		now  Work
		want float64
		ok   bool
	}{
		"only others":                 {Work{2000, 1500, 100}, 1, true},
		"half of it":                  {Work{2000, 1500, 600}, 0.5, true},
		"nobody":                      {Work{2000, 500, 100}, 0, true},
		"own ticks are counted later": {Work{2000, 600, 250}, 0, true},
		"a child was lost":            {Work{2000, 1000, 50}, 0.5, true},
		"no time has passed":          {earlier, 0, false},
		"it does not say":             {Work{}, 0, false},
	} {
		if got, ok := tt.now.Others(earlier); got != tt.want || ok != tt.ok {
			t.Errorf("%s: %g, %v", name, got, ok)
		}
	}
}

func TestBusy(t *testing.T) {
	earlier := Work{all: 1000, busy: 500, own: 100}
	if share, ok := (Work{2000, 750, 100}).Busy(earlier); share != 0.25 || !ok {
		t.Errorf("%g, %v", share, ok)
	}
	if _, ok := earlier.Busy(earlier); ok {
		t.Error("a share of no time")
	}
}

func TestParse(t *testing.T) {
	r, ok := parseAll([]byte("cpu  10 20 30 400 500 6 7 8 0 0\ncpu0 1 2 3\n"))
	if want := (Work{all: 981, busy: 81}); !ok || r != want {
		t.Errorf("%+v, %v", r, ok)
	}
	for _, text := range []string{"", "cpu", "cpu 1 2 3", "cpu a b c d e f g h", "cpu0 1 2 3 4 5 6 7 8"} {
		if r, ok := parseAll([]byte(text)); ok {
			t.Errorf("%q was read as %+v", text, r)
		}
	}
	pid, p, ok := parseProcess([]byte("42 (a) S (b) R 7 3 4 5 6 7 8 9 10 11 100 20 3 4 18\n"))
	if want := (process{7, 127}); !ok || pid != 42 || p != want {
		t.Errorf("%d %+v, %v", pid, p, ok)
	}
	for _, line := range []string{"", "42 (sh)", "42 (sh) S 1 2", "x (sh) S 1 3 4 5 6 7 8 9 10 11 1 2 3 4", "1 (sh) S a 3 4 5 6 7 8 9 10 11 1 2 3 4"} {
		if _, p, ok := parseProcess([]byte(line)); ok {
			t.Errorf("%q was read as %+v", line, p)
		}
	}
	if !descends(map[int]process{3: {parent: 2}, 2: {parent: 1}}, 3, 1) || descends(map[int]process{3: {parent: 2}, 2: {parent: 3}}, 3, 1) {
		t.Error("wrong descendants")
	}
	if descends(map[int]process{}, os.Getpid(), 1) {
		t.Error("a process that was not read descends from another")
	}
}
