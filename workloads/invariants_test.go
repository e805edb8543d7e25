package workloads_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"locktorture/workloads"
)

// split takes a key apart: lock, part and the rest.
func split(key string) (lock, part, rest string) {
	lock, rest, _ = strings.Cut(key, "/")
	part, rest, _ = strings.Cut(rest, "/")
	return lock, part, rest
}

// writtenOnce says that nothing of a part is written a second time.
func writtenOnce(part string) func(map[string]string, string, string) error {
	return func(state map[string]string, key, value string) error {
		if _, p, _ := split(key); p == part && state[key] != "" {
			return fmt.Errorf("%s: %s written over %s", key, value, state[key])
		}
		return nil
	}
}

func oneHolder(state map[string]string, key, value string) error {
	lock, part, rest := split(key)
	if part != "id" {
		return nil
	}
	worker, _, _ := strings.Cut(rest, "-")
	if _, holder, _ := strings.Cut(state[lock+"/worker/"+worker], " "); holder != value {
		return fmt.Errorf("%s made by %s, the worker is %s", key, value, holder)
	}
	return writtenOnce("id")(state, key, value)
}

func growsByOne(state map[string]string, key, value string) error {
	if n, _ := strconv.Atoi(state[key]); state[key] != "" && value != strconv.Itoa(n+1) {
		return fmt.Errorf("%s: %s after %d", key, value, n)
	}
	return nil
}

func wholeRecords(state map[string]string, key, value string) error {
	lock, part, rest := split(key)
	end, _ := strconv.Atoi(state[lock+"/end"])
	if n, _ := strconv.Atoi(rest); part == "block" && n < end {
		return fmt.Errorf("block %d is written again, the end is %d", n, end)
	}
	if part != "end" || state[key] == "" {
		return nil
	}
	next, _ := strconv.Atoi(value)
	record, _, _ := strings.Cut(state[fmt.Sprintf("%s/block/%d", lock, end)], " ")
	for i := end; i < next; i++ {
		if got, want := state[fmt.Sprintf("%s/block/%d", lock, i)], fmt.Sprintf("%s %d/%d", record, i-end+1, next-end); got != want {
			return fmt.Errorf("block %d is %q, want %q", i, got, want)
		}
	}
	if next <= end {
		return fmt.Errorf("the end moved from %d to %d", end, next)
	}
	return nil
}

func onlyTheLeaderActs(state map[string]string, key, value string) error {
	lock, part, _ := split(key)
	if name, _, _ := strings.Cut(value, " "); part == "action" && name != state[lock+"/leader"] {
		return fmt.Errorf("%s acts, the leader is %s", value, state[lock+"/leader"])
	}
	return nil
}

func oneFieldChanges(state map[string]string, key, value string) error {
	var was, is map[string]int
	if state[key] == "" {
		return nil
	}
	if err := errors.Join(json.Unmarshal([]byte(state[key]), &was), json.Unmarshal([]byte(value), &is)); err != nil {
		return err
	}
	change := 0
	for field := range is {
		if d := is[field] - was[field]; d < 0 || d > 1 {
			return fmt.Errorf("%s went from %d to %d", field, was[field], is[field])
		} else {
			change += d
		}
	}
	if change != 1 {
		return fmt.Errorf("%d changes from %s to %s", change, state[key], value)
	}
	return nil
}

func handledInOrder(state map[string]string, key, value string) error {
	lock, part, rest := split(key)
	if n, _ := strconv.Atoi(rest); part == "handled" && n > 1 && state[fmt.Sprintf("%s/handled/%d", lock, n-1)] == "" {
		return fmt.Errorf("message %d before the one in front of it", n)
	}
	return writtenOnce("handled")(state, key, value)
}

func totalIsConstant(state map[string]string, key, value string) error {
	if state[key] == "" {
		return nil
	}
	after := maps.Clone(state)
	after[key] = value
	var list [2]workloads.Account // the first and the second of the only two
	for i, lock := range []string{"a", "b"} {
		if err := json.Unmarshal([]byte(after[workloads.AccountKey(lock)]), &list[i]); err != nil {
			return err
		}
	}
	a, b := list[0], list[1]
	total := a.Balance + b.Balance
	if b.Pending != nil {
		total += b.Pending.Balance - b.Balance
		if a.Pending != nil {
			total += a.Pending.Balance - a.Balance
		}
	}
	if total != 2*workloads.OpeningBalance {
		return fmt.Errorf("%s := %s: the total is %d", key, value, total)
	}
	return nil
}

// A transfer that was cut is gone on with by the next section, whichever of
// its operations was the last, and nobody waits for good.
func TestTransferRecovers(t *testing.T) {
	tr := trial{"transfer", workloads.Transfer{Config: workloads.Config{Locks: []string{"a", "b"}}}, 2, totalIsConstant}
	for cut := range 6 {
		r := rand.New(rand.NewPCG(1, 1))
		s := start(t, tr)
		s.run(tr.workload.Next(r, 1), cut, -1, nil)
		s.run(tr.workload.Next(r, 2), -1, -1, nil)
		if *s.broke != nil {
			t.Errorf("cut before operation %d: %v", cut, *s.broke)
		}
		for key, value := range s.state {
			if strings.Contains(value, "pending") {
				t.Errorf("cut before operation %d: %s is left as %s", cut, key, value)
			}
		}
	}
}

func TestTransferTakesLocksInOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	pairs := map[string]int{}
	for range 300 {
		s := workloads.Transfer{}.Next(r, 1)
		if len(s.Locks) != 2 || s.Locks[0] >= s.Locks[1] {
			t.Fatal(s.Locks)
		}
		pairs[strings.Join(s.Locks, " ")]++
	}
	if len(pairs) != 3 {
		t.Errorf("pairs %v, want all three", pairs)
	}
}

// Alone in its section a client sees one value; with another in between not.
func TestRegister(t *testing.T) {
	tr := trial{"register", workloads.Register{}, 1, func(map[string]string, string, string) error { return nil }}
	r := rand.New(rand.NewPCG(1, 1))
	s := start(t, tr)
	changed := 0
	for range 200 {
		var before string
		other := tr.workload.Next(r, 2)
		s.run(tr.workload.Next(r, 1), -1, 1, func() {
			before = s.state["register/register"]
			s.run(other, -1, -1, nil)
		})
		if s.state["register/register"] != before {
			changed++
		}
	}
	if changed < 50 || changed > 150 {
		t.Errorf("%d of 200 sections had another's value put under them, want about half", changed)
	}
}

func TestSpreads(t *testing.T) {
	const ms = time.Millisecond
	tests := []struct {
		text          string
		least, most   time.Duration // of 2,000 draws
		median, about time.Duration
	}{
		{"2ms", 2 * ms, 2 * ms, 2 * ms, 0},
		{"1ms-5ms", 1 * ms, 5 * ms, 3 * ms, ms / 2},
		{"exp:10ms", 0, 1000 * ms, 7 * ms, ms},
		{"lognormal:2ms,50ms", 0, 5000 * ms, 2 * ms, ms / 2},
	}
	for _, tt := range tests {
		s, err := workloads.ParseSpread(tt.text)
		if err != nil || s.String() != tt.text {
			t.Fatalf("%s: %v, %v", tt.text, s, err)
		}
		r := rand.New(rand.NewPCG(1, 1))
		below, over := 0, 0
		for range 2000 {
			switch d := s.Draw(r); {
			case d < tt.least || d > tt.most:
				t.Fatalf("%s drew %v", tt.text, d)
			case d < tt.median-tt.about:
				below++
			case d > tt.median+tt.about:
				over++
			}
		}
		if below > 1000 || over > 1000 {
			t.Errorf("%s: %d draws well below %v, %d well over", tt.text, below, tt.median, over)
		}
	}
	for _, bad := range []string{"", "2", "5ms-1ms", "exp:", "lognormal:2ms", "lognormal:0s,1ms", "-2ms", "exp:-1ms", "lognormal:1ms,2ms,3ms"} {
		if s, err := workloads.ParseSpread(bad); err == nil || !strings.Contains(err.Error(), strconv.Quote(bad)) {
			t.Errorf("%q: %v, %v", bad, s, err)
		}
	}
}

// Hot locks are drawn more often, and long holds come as often as asked.
func TestHotLocksAndLongHolds(t *testing.T) {
	c := workloads.Config{Locks: []string{"a", "b", "c", "d"}, Hot: 2, LongEvery: 10, LongHold: workloads.Uniform(time.Second, 2*time.Second), Hold: workloads.Constant(time.Millisecond)}
	r := rand.New(rand.NewPCG(1, 1))
	drawn, long := map[string]int{}, 0
	for range 4000 {
		s := workloads.Counter{Config: c}.Next(r, 1)
		drawn[s.Locks[0]]++
		if s.Hold > time.Second {
			long++
		}
	}
	if a, d := drawn["a"], drawn["d"]; a < 2500 || d > 400 || d == 0 {
		t.Errorf("drawn %v, want about 2800, 700, 310 and 180", drawn)
	}
	if long < 300 || long > 500 {
		t.Errorf("%d of 4000 are long, want about 400", long)
	}
}

// Each object of a lock is a workload of its own, also when it is hot.
func TestKeyed(t *testing.T) {
	w := workloads.Keyed{Workload: workloads.Counter{}, Keys: 3, Hot: 2}
	s := start(t, trial{"keyed", w, 1, countsByOne})
	r := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		s.run(w.Next(r, 1), -1, -1, nil)
	}
	if *s.broke != nil {
		t.Error(*s.broke)
	}
	var counts [3]int
	for i := range counts {
		counts[i], _ = strconv.Atoi(s.state[fmt.Sprintf("counter/k%d/counter", i+1)])
	}
	if counts[0]+counts[1]+counts[2] != 300 || counts[0] < 180 || counts[2] == 0 || len(s.state) != 3 {
		t.Errorf("counted %v of 300: %v", counts, s.state)
	}
}

// inOneHand: who returns a connection took it last.
func inOneHand(state map[string]string, key, value string) error {
	connection, part, _ := split(key)
	if taken := state[workloads.TakenKey(connection)]; part == "returned" && taken != value {
		return fmt.Errorf("%s returned by %s, taken by %s", connection, value, taken)
	}
	return nil
}
