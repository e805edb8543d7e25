package guide

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/kballard/go-shellquote"

	"locktorture/ledger"
)

// chosen are the locks of the page, in its order.
func chosen() []string {
	return []string{"redis-set", "redis-watchdog", "redis-fenced", "redlock", "mysql-for-update", "mysql-unique-ttl", "postgres-advisory",
		"etcd-concurrency", "zookeeper", "consul"}
}

// A fault is a column of the first table. size says how strong it is drawn, in TTLs where nothing
// else stands.
type fault struct{ nemesis, head, size string }

func faults() []fault {
	return []fault{
		{"pause", "holder stopped", "stopped for 1.3–2 TTLs"}, {"hold", "request late", "late by 1.1–2 TTLs"},
		{"clock", "server's clock", "jumps by 1–2 TTLs, or runs 2–10 times too fast; 5 of 6 faults hit a majority"},
		{"client-clock", "client's clock", "jumps by 1–2 TTLs"}, {"failover", "fail-over", "replica lags by 1.05–1.2 TTLs"},
		{"restart-kept", "restart with its data", "down for 0 or 1.1–1.5 TTLs"},
		{"restart-empty", "restart, empty", "down for 0 or 1.1–1.5 TTLs"},
		{"partition", "partition", "lasts 0.5–2 TTLs"}, {"latency", "slow network", "delays of 0.01–0.1 TTLs, for 0.5–1.5 TTLs"}, {"kill-client", "holder dies", "SIGKILL"},
		{"leader", "leader lost", "out for 0.5–2 TTLs after the election"},
	}
}

// injected are the faults of a lock's cells: those of the first table, and none, beside which they are read.
func injected() []fault { return append([]fault{{nemesis: "none", head: "no fault"}}, faults()...) }

// clients is how many a run has.
const clients = 5

// long is the TTL of the runs with long leases.
const long = 10 * time.Second

// A wanted is what a page shows, and how it is run.
type wanted struct {
	ledger.Subject
	duration time.Duration // of a run
	ttl      time.Duration // of a run
	app      string        // the folder of an app
	needs    int           // how many runs; 0: as many as are asked for
}

// beside reports whether it is in no cell of a lock, but in a table of long leases, of scripts or of apps.
func (w wanted) beside() bool { return w.Kind != ledger.Run || w.ttl == long }

// enough is how many runs a subject needs where n are asked for.
func (w wanted) enough(n int) int {
	if w.needs > 0 {
		return w.needs
	}
	return n
}

// takes is about how long it takes, with the start of its servers and the time in which a dead
// holder's lock becomes free.
func (w wanted) takes() time.Duration { return w.duration + 4*w.ttl + 10*time.Second }

// run is a run of a lock with a TTL; a lock that needs a longer one gets its least.
func (d *Data) run(lock, nemesis, workload string, ttl, duration time.Duration) wanted {
	ttl = max(ttl, d.locks[lock].Traits.LeastTTL)
	needs := 0
	if ttl == long {
		needs = 5 // such a run takes minutes
	}
	return wanted{Subject: ledger.Subject{
		Kind: ledger.Run, Lock: lock, Fault: nemesis, Workload: workload,
		Flags: "--clients " + strconv.Itoa(clients) + " --ttl " + ttl.String(),
	}, duration: max(duration, 5*ttl), ttl: ttl, needs: needs}
}

// cell is the cell of the first table.
func (d *Data) cell(lock, nemesis string) wanted {
	if lock == "mysql-unique-ttl" && nemesis == "failover" {
		lock = "mysql-failover" // the same lock on a primary with a replica
	}
	return d.run(lock, nemesis, "counter", time.Second, 10*time.Second)
}

// scheduled is a row of the table about a scheduler, whose leases are longer.
func (d *Data) scheduled(lock, nemesis string) wanted {
	return d.run(lock, nemesis, "scheduler", long, time.Minute)
}

// dying are runs in which holders of long leases die. A scheduler's clients do not wait for their
// lock, so only a counter's show when it is free again.
func (d *Data) dying() []wanted {
	return []wanted{d.run("redlock", "kill-client", "counter", long, time.Minute), d.run("consul", "kill-client", "counter", long, time.Minute)}
}

// play is a play of a script.
func play(scenario, lock, variant string) wanted {
	return wanted{Subject: ledger.Subject{Kind: ledger.Scenario, Lock: lock, Scenario: scenario, Variant: variant, Workload: "counter"}}
}

// schedulers are the rows of the scheduler's table.
func schedulers() []struct{ lock, nemesis string } {
	return []struct{ lock, nemesis string }{
		{"redlock", "none"}, {"redlock", "pause"}, {"redlock", "clock"}, {"redlock", "restart-kept"}, {"redlock", "restart-empty"},
		{"redlock", "partition"}, {"redlock", "kill-client"},
		{"redis-set", "pause"}, {"etcd-concurrency", "pause"}, {"zookeeper", "pause"}, {"consul", "pause"}, {"consul", "kill-client"},
	}
}

// scripted are the plays of the page, by the name of their table.
func scripted() map[string][]wanted {
	return map[string][]wanted{
		"fencing": {
			play("gc-pause", "redis-fenced", "plain store"), play("gc-pause", "redis-fenced", "fenced store"),
			play("gc-pause", "etcd-concurrency", "fenced store"), play("fence-regression", "redis-fenced", ""),
		},
		"without": {play("cas-token", "redis-set", ""), play("cas-not-atomic", "redis-set", "")},
		"debate": {
			play("gc-pause", "redlock", ""), play("recheck-time", "redlock", ""), play("clock-jump", "redlock", "a jump of 10 ms"),
			play("clock-jump", "redlock", "a jump of a TTL and a second"), play("restart-with-persistence", "redlock", ""),
			play("restart-without-persistence", "redlock", ""), play("cas-token", "redlock", ""),
		},
		"pooler": {
			play("transaction-pool", "pgbouncer-advisory", ""), play("left-in-the-pool", "pgbouncer-advisory", ""), play("transaction-pool", "pgbouncer-xact", ""),
		},
	}
}

// all returns everything that the pages show and a run can tell.
func (d *Data) all() (list []wanted) {
	for _, lock := range chosen() {
		for _, f := range injected() {
			if inapplicable(lock, f.nemesis) == "" {
				list = append(list, d.cell(lock, f.nemesis))
			}
		}
	}
	for _, s := range schedulers() {
		list = append(list, d.scheduled(s.lock, s.nemesis))
	}
	return slices.Concat(list, d.dying(), scripts(), d.tortured())
}

// scripts are the plays of all tables.
func scripts() (list []wanted) {
	for _, name := range slices.Sorted(maps.Keys(scripted())) {
		list = append(list, scripted()[name]...)
	}
	return list
}

// command returns the words of the command that runs it once more; seed 0 leaves the seed out.
func (w wanted) command(seed uint64) []string {
	if w.Kind == ledger.Scenario {
		words := []string{"torture", "scenario", "run", w.Scenario, "--backend", w.Lock}
		if w.Variant != "" {
			words = append(words, "--variant", w.Variant)
		}
		return words
	}
	if w.Kind == ledger.App {
		words := []string{"torture", "app", w.app, "--duration", w.duration.String()}
		return append(words, seeded(seed)...)
	}
	words := []string{"torture", "run", "--backend", w.Lock, "--nemesis", w.Fault, "--workload", w.Workload, "--duration", w.duration.String()}
	flags, _ := shellquote.Split(w.Flags) // they were joined by run
	return slices.Concat(words, flags, seeded(seed))
}

// seeded is the flag of a seed; 0: none.
func seeded(seed uint64) []string {
	if seed == 0 {
		return nil
	}
	return []string{"--seed", strconv.FormatUint(seed, 10)}
}

// inapplicable says why a lock of the page cannot suffer a fault, by what it is; "" if it can.
func inapplicable(lock, nemesis string) string {
	consensus := lock == "etcd-concurrency" || lock == "zookeeper" || lock == "consul"
	switch {
	case nemesis == "failover" && consensus:
		return "its servers elect a new leader instead; see leader lost"
	case nemesis == "failover" && lock == "redlock":
		return "its five servers are primaries without replicas"
	case nemesis == "leader" && lock == "redlock":
		return "its five servers are equals"
	case nemesis == "leader" && !consensus:
		return "a single server has no leader; see fail-over"
	}
	return ""
}

// exists reports whether there is a subject's lock or app.
func (d *Data) exists(s ledger.Subject) bool {
	_, lock := d.locks[s.Lock]
	_, app := d.programs[s.Lock]
	return lock && s.Kind != ledger.App || app && s.Kind == ledger.App
}
