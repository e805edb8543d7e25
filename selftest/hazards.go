package selftest

import "strings"

// A hazard is a fault that a lock is known to break under.
type hazard struct {
	Backend   string   `json:"backend"`
	Nemesis   string   `json:"nemesis"`
	Flags     []string `json:"flags,omitempty"` // of torture run, beyond the defaults
	Anomalies []string `json:"anomalies"`       // one of these must be named
	Why       string   `json:"-"`               // it breaks, in one clause
	Luck      string   `json:"luck,omitempty"`  // why not every run shows it; "": every run must
}

// args are the flags of its run.
func (h hazard) args() []string {
	return append([]string{"--backend", h.Backend, "--nemesis", h.Nemesis}, h.Flags...)
}

func (h hazard) name() string { return strings.Join(h.args()[1:], " ") }

const (
	overslept = "a holder that sleeps longer than its lease writes when it wakes"
	jumped    = "a clock that jumps ahead ends a lease while its holder still relies on it"
	demoted   = "a replica that has not heard of the lease becomes the primary"
	forgotten = "a server that comes back without the lease grants it again"
	immortal  = "nothing frees the lock of a dead client"
)

// hazards are all that are known to show in a default run.
func hazards() []hazard {
	counter := []string{"--workload", "counter"}
	var all []hazard
	for _, b := range []string{
		"redis-getset", "redis-lua", "redis-set", "redis-set-getdel", "redis-watchdog", "redis-reentrant", "redis-fair", "redis-fenced",
		"mysql-unique-ttl", "mysql-optimistic", "zookeeper", "zookeeper-herd", "etcd", "etcd-api", "etcd-concurrency", "redislock", "rueidislock",
	} {
		all = append(all, hazard{Backend: b, Nemesis: "pause", Flags: counter, Anomalies: []string{"overrun"}, Why: overslept})
	}
	for _, b := range []string{"redlock", "redlock-watchdog", "redsync", "mysql-quorum", "redis-set"} {
		all = append(all, hazard{Backend: b, Nemesis: "clock", Anomalies: []string{"double-grant"}, Why: jumped})
	}
	for _, b := range []string{"redis-set", "redis-fenced", "redis-sentinel", "redis-cluster"} {
		h := hazard{Backend: b, Nemesis: "failover", Anomalies: []string{"double-grant"}, Why: demoted}
		if b == "redis-sentinel" {
			h.Flags = []string{"--ttl", "5s"} // Sentinel takes 2 s to see that its primary is gone
		}
		all = append(all, h)
	}
	for _, b := range []string{"redis-setnx", "mysql-unique"} {
		all = append(all, hazard{Backend: b, Nemesis: "kill-client", Anomalies: []string{"deadlock"}, Why: immortal})
	}
	return append(all,
		hazard{Backend: "redis-rw", Nemesis: "pause", Anomalies: []string{"overrun"}, Why: overslept},
		// Who waits sleeps for what was left of the lease when it asked; only who comes anew
		// meets the jump.
		hazard{Backend: "redis-rw", Nemesis: "clock", Flags: []string{"--workload", "counter", "--think", "300ms"}, Anomalies: []string{"double-grant"}, Why: jumped},
		hazard{Backend: "redis-permits", Nemesis: "client-clock", Anomalies: []string{"over-capacity"}, Why: "a client whose clock is ahead gives back permits while other clients still rely on them"},
		hazard{Backend: "redis-semaphore", Nemesis: "kill-client", Anomalies: []string{"lost-permit"}, Why: "nothing gives back the permits of a dead client"},
		// Permits that were taken and given back unheard balance each other where many come
		// and go.
		hazard{Backend: "redis-semaphore", Nemesis: "failover", Flags: []string{"--think", "300ms"}, Anomalies: []string{"over-capacity", "extra-permit", "lost-permit"}, Why: "a replica that has not heard of a permit, or of its return, becomes the primary"},
		hazard{Backend: "gozk", Nemesis: "pause", Flags: counter, Anomalies: []string{"double-grant"}, Why: "a holder is never notified that its session has ended, and still believes that it holds the lock"},
		hazard{Backend: "redis-watch", Nemesis: "kill-client", Anomalies: []string{"deadlock", "immortal"}, Why: "its waiters renew the lease of a dead holder"},
		hazard{Backend: "redis-set-del", Nemesis: "pause", Anomalies: []string{"foreign-release", "double-grant"}, Why: "the release of a lease that is over deletes the key of the next holder"},
		// It counts whole seconds, and may be up to one short: of 2 s it promises but one.
		hazard{Backend: "memcached", Nemesis: "restart", Flags: []string{"--ttl", "4s"}, Anomalies: []string{"double-grant"}, Why: forgotten},
		hazard{Backend: "mysql-for-update", Nemesis: "restart", Anomalies: []string{"double-grant"}, Why: "the connection dies with the server, and the holder does not know"},
		hazard{Backend: "redlock-nocheck", Nemesis: "hold", Anomalies: []string{"overrun", "double-grant"}, Why: "the validity is not shortened by the time that the replies took"},
		hazard{Backend: "mysql-failover", Nemesis: "failover", Anomalies: []string{"token-regression", "token-duplicate", "double-grant"}, Why: demoted},
		hazard{Backend: "redis-mysql", Nemesis: "restart", Anomalies: []string{"token-duplicate", "token-regression", "double-grant"}, Why: "tokens begin anew after MySQL has lost its data"},
		hazard{Backend: "mysql-for-update-norow", Nemesis: "none", Anomalies: []string{"double-grant"}, Why: "a lock on a row that does not exist locks nobody out"},
		hazard{Backend: "etcd-put", Nemesis: "none", Anomalies: []string{"double-grant"}, Why: "a plain put grants everybody"},
	)
}
