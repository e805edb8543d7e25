package main

import (
	"flag"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"locktorture/explore/session"
	"locktorture/history"
	"locktorture/internal/exit"
	"locktorture/nemesis/points/schedule"
)

var fidelity = flag.Bool("fidelity", false, "hold ten locks in virtual time against real servers, not one")

// faithful are the locks that are compared with real runs.
var faithful = []string{
	"redis-set", "redis-setnx-expire", "redis-lua", "redis-watchdog", "redis-fenced", "redis-fair", "redlock", "redsync", "redislock", "rueidislock",
}

// Bounds of what may differ between a run on real servers and one in virtual time without
// faults.
const (
	// A machine that has other things to do keeps a real section waiting, and none is faster
	// than its hold and its think: in make test a real run may have half of the grants, alone
	// four fifths.
	mostGrants, leastGrants, leastAlone = 1.1, 0.5, 0.8
	// mostTries is how far the requests for each grant may be apart, as a share: a waiter asks
	// again after a pause, which is drawn, and a round trip.
	mostTries = 0.3
	// rare is what may come in one run and not in the other, as a share of all steps from one
	// message to the next: a race between two clients.
	rare = 0.02
)

// A likeness is what of a run is compared.
type likeness struct {
	grants int            // in the main phase
	tries  int            // requests for the lock, and scripts
	steps  map[string]int // from one message of a client to its next, repetitions aside
	all    int            // of them
}

// Without faults a run in virtual time is like one on real servers: as many grants and
// refusals, and the same order of messages. What a real server answered, the stepped one
// answers too.
func TestFidelity(t *testing.T) {
	list := faithful[:1]
	if *fidelity {
		list = faithful
	}
	for _, backend := range list {
		t.Run(backend, func(t *testing.T) {
			dir := realRun(t, backend)
			tapes := tapesOf(t, dir)
			real, virtual := realLikeness(t, dir, tapes), virtualLikeness(t, backend)
			share := apart(real, virtual)
			t.Logf("grants %d real, %d virtual; requests for each %.2f, %.2f; %.1f %% of the steps from message to message in one alone",
				real.grants, virtual.grants, real.perGrant(), virtual.perGrant(), 100*share)
			least := leastGrants
			if *fidelity {
				least = leastAlone
			}
			if r := float64(real.grants) / float64(virtual.grants); real.grants < 10 || r < least || r > mostGrants {
				t.Errorf("%d grants, %d in virtual time", real.grants, virtual.grants)
			}
			if r := real.perGrant() / virtual.perGrant(); math.Abs(r-1) > mostTries {
				t.Errorf("%.2f requests for each grant, %.2f in virtual time", real.perGrant(), virtual.perGrant())
			}
			if share > 0 {
				t.Errorf("steps of one alone:\nreal    %v\nvirtual %v", real.steps, virtual.steps)
			}
			for _, tape := range tapes {
				if tape.unanswered > 1 { // one was under way at the end
					t.Errorf("%d requests to %s were not answered: the machine is too busy for a run without faults", tape.unanswered, tape.node)
					continue
				}
				asked, moved := answersAgain(t, backend, tape)
				t.Logf("%d answers of %s equal the answers of the stepped server, %d pairs in the other order", asked, tape.node, moved)
			}
		})
	}
}

// perGrant is how many requests for the lock there were for each grant.
func (l likeness) perGrant() float64 { return float64(l.tries) / float64(max(l.grants, 1)) }

// apart is the share of the steps that one of two runs has and the other has not, rare ones
// aside.
func apart(a, b likeness) float64 {
	var share float64
	for _, x := range []struct{ has, lacks likeness }{{a, b}, {b, a}} {
		for step, n := range x.has.steps {
			if s := float64(n) / float64(x.has.all); x.lacks.steps[step] == 0 && s > rare {
				share += s
			}
		}
	}
	return share
}

// fidelityLoad is the load of the compared runs, by the flags that torture run and torture
// replay have in common.
func fidelityLoad(backend string) []string {
	return []string{
		"--backend", backend, "--workload", "counter", "--clients", "2", "--ttl", "500ms", "--duration", "5s", "--hold", "50ms", "--think", "20ms",
		"--fencing", "off", "--seed", "1",
	}
}

// realRun plays a lock on real servers, and returns the run's directory.
func realRun(t *testing.T, backend string) string {
	base := t.TempDir()
	code, out := torture(t, append([]string{"run", "--cluster", "process", "--nemesis", "none", "--dir", base, "--quiet", "--wire", "64"}, fidelityLoad(backend)...)...)
	if strings.Contains(out, "make servers") {
		t.Skip(out)
	}
	if code != exit.OK {
		t.Fatalf("exit code %d\n%s", code, out)
	}
	return filepath.Join(base, "latest")
}

// realLikeness measures the likeness of a real run.
func realLikeness(t *testing.T, dir string, tapes []*tapeOf) likeness {
	h, _, err := history.ReadFile(filepath.Join(dir, "history.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	l := likeness{grants: grantsOf(h), steps: map[string]int{}}
	for _, r := range tapes {
		for _, said := range r.said {
			l.add(said)
		}
	}
	return l
}

// virtualLikeness measures the likeness of the same load in virtual time.
func virtualLikeness(t *testing.T, backend string) likeness {
	s := session.Virtual{
		Backend: backend, Workload: "counter", TTL: 500 * time.Millisecond, Duration: 5 * time.Second, Fencing: "off", Careful: true, Seed: 1,
		Clients: 2, Locks: 1, Keys: 1, Hold: "50ms", Think: "20ms", MinGrants: 5,
	}
	o, r, err := s.Play(t.Context(), t.TempDir(), schedule.Schedule{})
	if err != nil {
		t.Fatal(err)
	}
	h, _, err := history.ReadFile(filepath.Join(o.Dir.Path, "history.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Close(); err != nil {
		t.Fatal(err)
	}
	l := likeness{grants: grantsOf(h), steps: map[string]int{}}
	said := map[string][]string{}
	for _, p := range r.Points {
		if p.Kind != schedule.Gate {
			who := fmt.Sprintf("%d redis-%d", p.Client, p.Node)
			said[who] = append(said[who], p.Kind+" "+p.What)
		}
	}
	for _, who := range slices.Sorted(maps.Keys(said)) {
		l.add(said[who])
	}
	return l
}

// leftTime is an answer that tells how long a key has left.
var leftTime = regexp.MustCompile(`=\d{2,}$`)

// add adds what a client and a server have said to each other, in order.
func (l *likeness) add(said []string) {
	last := ""
	var short []string
	for _, what := range said {
		what = leftTime.ReplaceAllString(what, "=time")
		if first, _, _ := strings.Cut(what, "="); first == "send SET" || first == "send SETNX" || first == "send EVAL" {
			l.tries++
		}
		if n := len(short); n >= 2 && short[n-2] == what { // it asks again and again
			if last = short[n-1]; n >= 4 && short[n-3] == last && short[n-4] == what {
				short = short[:n-2]
			}
		}
		short = append(short, what)
	}
	for i := 1; i < len(short); i++ {
		l.steps[short[i-1]+" → "+short[i]]++
		l.all++
	}
}

// grantsOf counts the grants of the first five seconds.
func grantsOf(h history.History) (n int) {
	for _, op := range h {
		if (op.F == history.Acquire || op.F == history.Try) && op.Type == history.OK && op.Time < int64(5*time.Second) {
			n++
		}
	}
	return n
}
