package simulate_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"locktorture/history"
	"locktorture/simulate"
	"locktorture/simulate/server"
)

// inChild is set in the second process of TestSameSeed.
const inChild = "TORTURE_SIMULATE_CHILD"

// everything is a schedule of all kinds of faults, for three clients and one server.
var everything = []string{
	"at c1 gate write #1: pause for=100ms", "at c2 gate begin #2: skew by=-1s for=100ms", "at c3 gate read #1: kill",
	"at c2 send EVAL redis-1 #1: hold for=50ms", "at c1 send SET redis-1 #2: drop", "at c3 reply SET=nil redis-1 #3: reset",
	"at c1 gate begin #2: reset nodes=1", "at c2 send SET redis-1 #5: reorder for=20ms", "at c1 reply SET=nil redis-1 #3: clock by=300ms for=20ms",
	"at c1 gate begin #3: stop nodes=1 for=20ms", "at c2 gate release #2: restart nodes=1 for=20ms", "at c2 gate begin #4: restart nodes=1 for=1ms data=lost",
}

// worlds are those whose hashes are compared.
func worlds(t *testing.T) (hashes []string) {
	p := guest(t)
	for _, backend := range []string{"redis-set", "redlock", "rueidislock"} {
		on := servers(t, backend)
		for seed := range uint64(2) {
			_, r := play(t, p, on, order(backend, seed+1))
			hashes = append(hashes, fmt.Sprintf("world %s seed %d: %016x after %v, %d points", backend, seed+1, r.Hash, r.Virtual, len(r.Points)))
		}
	}
	on := servers(t, "redis-watchdog")
	for seed := range uint64(2) {
		o := faulted("redis-watchdog")
		o.Seed = seed + 1
		_, r := play(t, p, on, o, everything...)
		struck := slices.DeleteFunc(r.Struck, func(s simulate.Strike) bool { return s.At == simulate.Never })
		hashes = append(hashes, fmt.Sprintf("world with %d faults, seed %d: %016x after %v, %d points", len(struck), seed+1, r.Hash, r.Virtual, len(r.Points)))
	}
	return hashes
}

// A seed gives the same history, bit for bit, again and in another process. Another seed gives
// another.
func TestSameSeed(t *testing.T) {
	first := worlds(t)
	if os.Getenv(inChild) != "" {
		fmt.Println(strings.Join(first, "\n"))
		return
	}
	if again := worlds(t); !slices.Equal(first, again) {
		t.Errorf("a replay gave\n%s\nthe first run\n%s", strings.Join(again, "\n"), strings.Join(first, "\n"))
	}
	cmd := exec.Command(os.Args[0], "-test.run", "^TestSameSeed$", "-test.v")
	cmd.Env = append(os.Environ(), inChild+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, world := range first {
		if !bytes.Contains(out, []byte(world+"\n")) {
			t.Errorf("another process did not come to %q:\n%s", world, out)
		}
	}
	for i := 0; i < len(first); i += 2 {
		_, a, _ := strings.Cut(first[i], ": ")
		_, b, _ := strings.Cut(first[i+1], ": ")
		if a == b {
			t.Errorf("two seeds gave the same: %s", first[i])
		}
	}
	t.Log("\n" + strings.Join(first, "\n"))
}

// On an embedded server the history is the same, but for a few nanoseconds where a client
// looks at its clock once more or once less, because the servers introduce themselves in other
// words, and for the end of a lease as a probe sees it: redis-server cuts the time of day to
// milliseconds, miniredis the time that is left.
func TestSameOnEmbedded(t *testing.T) {
	p := guest(t)
	real, _ := play(t, p, servers(t, "redis-set"), order("redis-set", 7))
	e := server.NewEmbedded()
	defer e.Close()
	embedded, _ := play(t, p, []server.Server{e}, order("redis-set", 7))
	if len(real) < 100 || len(real) != len(embedded) {
		t.Fatalf("%d entries, on the embedded server %d", len(real), len(embedded))
	}
	for i := range real {
		a, b := real[i], embedded[i]
		seen := time.Microsecond
		if a.F == history.Probe {
			seen = time.Millisecond + time.Microsecond
		}
		align(a.Time, &b.Time, time.Microsecond)
		align(a.UntilMin, &b.UntilMin, time.Microsecond)
		align(a.UntilMax, &b.UntilMax, seen)
		if a, b := string(a.AppendJSON(nil)), string(b.AppendJSON(nil)); a != b {
			t.Fatalf("entry %d is\n%s\nand on the embedded server\n%s", i+1, a, b)
		}
	}
}

// align makes b the same as a, if they are no more than so far apart.
func align(a int64, b *int64, most time.Duration) {
	if off := time.Duration(a - *b); off.Abs() <= most {
		*b = a
	}
}
