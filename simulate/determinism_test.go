package simulate_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"locktorture/simulate/inside"
)

var (
	runs      = flag.Int("runs", 1, "how often each process of TestDeterminism plays each world")
	processes = flag.Int("processes", 2, "how many processes of TestDeterminism play each world")
)

// A shrunk is a schedule that a search has come to, results/explore.md.
type shrunk struct {
	backend string
	lines   []string
}

var shrunks = []shrunk{
	{"redis-set-del", []string{"at c2 reply SET=OK redis-1 #1: hold nodes=1 for=458ms"}},
	{"redis-setnx-expire", []string{"at c1 send PEXPIRE redis-1 #1: drop"}},
	{"redlock", []string{"at c1 gate read #1: clock nodes=3,4,5 by=497ms for=9ms"}},
	{"redsync", []string{"at c1 gate begin #3: hold nodes=1,2,3,4,5 for=1.562s"}},
	{"rueidislock", []string{"at c1 gate work #2: clock nodes=1 by=504ms for=164ms"}},
	{"rueidislock", []string{"at c2 reply EVAL=nil redis-1 #1: clock nodes=1 by=488ms for=51ms"}},
}

// each plays every world as often as is asked for, and returns a line for each with its hash.
// Every lock that can be simulated has two, of two seeds.
func each(t *testing.T) (lines []string) {
	p := guest(t)
	world := func(name string, o inside.Order, faults ...string) {
		on := servers(t, o.Backend)
		lines = append(lines, again(t, name, func() string {
			_, r := play(t, p, on, o, faults...)
			return r.Sum()
		}))
	}
	for _, backend := range slices.Sorted(maps.Keys(inside.Locks())) {
		for seed := range uint64(2) {
			o := order(backend, seed+1)
			o.Duration = 300 * time.Millisecond
			world(fmt.Sprintf("%s, seed %d", backend, seed+1), o)
		}
	}
	for _, s := range shrunks {
		for seed := range uint64(2) {
			o := order(s.backend, seed+1)
			o.Clients, o.TTL, o.Hold, o.Think, o.FreeWithin = 2, 500*time.Millisecond, "50ms", "20ms", 1500*time.Millisecond
			if o.Duration = 300 * time.Millisecond; *runs > 1 {
				o.Duration = 600 * time.Millisecond
			}
			world(fmt.Sprintf("%s, %s, seed %d", s.backend, s.lines[0], seed+1), o, s.lines...)
		}
	}
	return lines
}

// again plays a world as often as is asked for, and returns its line.
func again(t *testing.T, name string, play func() (sum string)) (first string) {
	for range *runs {
		sum := play()
		if line := fmt.Sprintf("%s: %s", name, sum); first == "" {
			first = line
		} else if line != first {
			t.Errorf("%s, and in another run of this process %s", first, sum)
		}
	}
	return first
}

// Every lock and every shrunk schedule has one hash, in each run of each process, and another
// one with another seed.
func TestDeterminism(t *testing.T) { determined(t, each(t)) }

// determined compares the lines of this process with those of others, and of each world with those of
// its other seed.
func determined(t *testing.T, first []string) {
	if os.Getenv(inChild) != "" {
		fmt.Println(strings.Join(first, "\n"))
		return
	}
	for range *processes - 1 {
		cmd := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.timeout", "0", "-runs", strconv.Itoa(*runs))
		cmd.Env = append(os.Environ(), inChild+"=1")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		said := strings.Split(string(out), "\n")
		for _, line := range first {
			if !slices.Contains(said, line) {
				name, _, _ := strings.Cut(line, ": ")
				t.Errorf("%s, and in another process %v", line, slices.DeleteFunc(slices.Clone(said), func(l string) bool { return !strings.HasPrefix(l, name) }))
			}
		}
	}
	for i := 0; i < len(first); i += 2 {
		if a, b := first[i], first[i+1]; a[strings.LastIndex(a, ": "):] == b[strings.LastIndex(b, ": "):] {
			t.Errorf("two seeds gave the same: %s", a)
		}
	}
	t.Logf("%d worlds, %d runs in each of %d processes", len(first), *runs, *processes)
}
