package selftest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"locktorture/registry"
)

// A controlLock is a lock that keeps its promises under some faults, whatever the load: it
// must never be flagged. A holder that overstays because it was stopped is not the lock's
// fault.
type controlLock struct {
	Backend string
	Least   time.Duration // the shortest TTL that is drawn
	Faults  []string      // that it must stand
}

// controlLocks are one of each family of servers. A lock that counts its validity on the
// client's clock need not stand that this clock is put back.
func controlLocks() []controlLock {
	links := []string{"hold", "kill-client", "latency", "partition", "pause"}
	return []controlLock{
		{"local", time.Second, []string{"client-clock", "hold", "kill-client", "pause"}},
		{"local-rw", time.Second, []string{"client-clock", "hold", "kill-client", "pause"}},
		{"local-semaphore", time.Second, []string{"client-clock", "hold", "kill-client", "pause"}},
		{"redis-fenced", time.Second, links},
		{"redis-watchdog", time.Second, links},
		{"etcd", time.Second, append([]string{"leader", "restart"}, links...)},
		{"zookeeper", time.Second, append([]string{"restart"}, links...)},
		{"postgres-advisory", time.Second, []string{"client-clock", "clock", "hold", "kill-client", "latency", "pause"}},
	}
}

// A round is one run of a control under faults and a load that are drawn.
type round struct {
	Lock controlLock
	Args []string
}

// drawRound draws the round of a number; the same seed and number give the same round.
func drawRound(seed uint64, number int) round {
	r := rand.New(rand.NewPCG(seed, uint64(number)))
	locks := controlLocks()
	lock := locks[number%len(locks)]
	faults, ttl := drawFaults(r, lock.Faults), drawTime(r, lock.Least, 3*time.Second)
	least := max(8*time.Second, ttl*time.Duration(4+2*strings.Count(faults, ","))) // so that each fault finds room
	args := []string{
		"--backend", lock.Backend, "--workload", pickOf(r, registry.WorkloadsFor(registry.Locks()[lock.Backend].Traits)),
		"--nemesis", faults, "--ttl", ttl.String(), "--duration", drawTime(r, least, least+4*time.Second).String(),
		"--clients", fmt.Sprint(2 + r.IntN(7)), "--locks", fmt.Sprint(1 + r.IntN(4)),
	}
	if h := pickOf(r, []string{"", "", "0s", "1ms-20ms", "exp:10ms", "50ms-400ms", "lognormal:5ms,300ms"}); h != "" {
		args = append(args, "--hold", h)
	}
	if t := pickOf(r, []string{"", "", "0s", "5ms-50ms", "exp:20ms"}); t != "" {
		args = append(args, "--think", t)
	}
	if a := pickOf(r, []string{"", "", "", "poisson:50", "even:100", "burst:2s"}); a != "" {
		args = append(args, "--arrivals", a)
	}
	return round{lock, args}
}

func pickOf(r *rand.Rand, list []string) string { return list[r.IntN(len(list))] }

// drawFaults draws none to three of some faults.
func drawFaults(r *rand.Rand, from []string) string {
	chosen := slices.Clone(from)
	r.Shuffle(len(chosen), func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
	chosen = chosen[:min(r.IntN(4), len(chosen))]
	if len(chosen) == 0 {
		return "none"
	}
	slices.Sort(chosen)
	return strings.Join(chosen, ",")
}

// drawTime draws a time, to 100 ms.
func drawTime(r *rand.Rand, least, most time.Duration) time.Duration {
	return (least + time.Duration(r.Int64N(int64(most-least)+1))).Round(100 * time.Millisecond)
}
